// The rights of the user with this token. The server decides; pages leave out what it would refuse.
const ORDER = ["look", "start", "steer", "admin"];

let you = null;

// Remembers the user, from an answer of /api/control.
export function know(told) {
  if (told?.you) you = told.you;
}

// Whether the user has a right. Each right includes those before it.
export const may = (right) => you !== null && ORDER.indexOf(you.right) >= ORDER.indexOf(right);

// Whether an entry of the queue is this user's.
export const isMine = (entry) => you !== null && entry.started_by === you.name;
