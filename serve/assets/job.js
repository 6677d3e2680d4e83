// A bisection or campaign: its standing, the orders that it accepts, and its page as it was last written.
import { showOrders, steer } from "./control.js";
import { ask, at, fetchWithToken, hear, say } from "./live.js";

const name = decodeURIComponent(location.pathname.split("/").at(-1)), path = `/api/jobs/${encodeURIComponent(name)}`;
say(at("name"), name);
say(at("crumb"), name);
document.title = `${name} · spar`;

let shown = "", lookedAt = 0, timer = null;

// The job's page is a whole document with its own style; its content is shown here.
async function showPage() {
  const response = await fetchWithToken(`${path}/report.html`);
  const text = response.ok ? await response.text() : "";
  if (text === shown) return;
  shown = text;
  const main = text.slice(Math.max(0, text.indexOf("<main"))), made = new DOMParser().parseFromString(main, "text/html");
  made.querySelectorAll("script, style, h1, header, footer").forEach((node) => node.remove());
  at("now").replaceChildren(...(made.querySelector("main") ?? made.body).childNodes);
}

async function look() {
  [lookedAt, timer] = [Date.now(), null];
  try {
    const job = await ask(path);
    say(at("says"), job.says);
    steer(name, job, null);
    await showPage();
  } catch (error) {
    say(at("says"), error.message);
  }
}

// Fetches the job at most every two seconds, whatever happens.
function wantLook() {
  if (timer === null) timer = setTimeout(look, Math.max(0, lookedAt + 2000 - Date.now()));
}

function progress(told) {
  say(at("progress"), told.playing?.run === name ? told.playing.says ?? "" : "");
}

hear("/api/events", async () => {
  const { id } = await ask("/api/runs");
  await look();
  await showOrders(name);
  progress(await ask("/api/control"));
  return id;
}, (kind, data) => {
  if (kind === "queue") {
    steer(name, null, data);
    progress(data);
  }
  if (kind !== "workers") wantLook();
});
