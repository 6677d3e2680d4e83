// What the person with this token may do. The server decides; pages leave out what it would refuse.
const ORDER = ["look", "start", "steer", "admin"];

let you = null;

// Remembers who asks, from an answer of /api/control.
export function know(told) {
  if (told?.you) you = told.you;
}

// Whether the person has a right. Each includes those before it.
export const may = (right) => you !== null && ORDER.indexOf(you.right) >= ORDER.indexOf(right);

// Whether an entry of the queue was asked for by this person.
export const isMine = (entry) => you !== null && entry.started_by === you.name;
