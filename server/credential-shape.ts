/** Shorter ones are words, versions and numbers. */
const RANDOM_CHARS_MIN = 20;

/** Longer ones are data, and not read for this. */
const RANDOM_CHARS_MAX = 512;

/** Digests, commits and UUIDs are random as well, and no secrets. */
const HEX = /^[0-9a-f]+$/i;

/** Of all neighbours, how many are of another class (small, capital, digit): words have few of them. */
const TURNS_MIN = 0.38;
const DIGITS_MIN = 2;

/**
 * Whether the value of a variable looks like what a machine made up to be secret, whatever the variable is called: text
 * without spaces in which small letters, capitals and digits take turns. Words, paths, hosts, images, digests, commits
 * and UUIDs do not.
 */
export function looksRandom(value: string): boolean {
  if (value.length < RANDOM_CHARS_MIN || value.length > RANDOM_CHARS_MAX || /\s/.test(value)) return false;
  const runs = value.split(/[^A-Za-z0-9+/_=-]+/);
  return runs.some((run) => isRandomRun(run.replace(/[+/_=-]/g, '')) && !isWords(run));
}

/** Of base64 the signs between are part of it; of a path or a name they part its words. */
function isWords(run: string): boolean {
  return run.split(/[+/_=-]+/).every((word) => word.length < RANDOM_CHARS_MIN && !isMixed(word));
}

function isRandomRun(run: string): boolean {
  if (run.length < RANDOM_CHARS_MIN || HEX.test(run)) return false;
  return isMixed(run);
}

function isMixed(text: string): boolean {
  const digits = text.replace(/\D/g, '').length;
  if (digits < DIGITS_MIN || digits === text.length || HEX.test(text)) return false;
  let turns = 0;
  for (let at = 1; at < text.length; at += 1) if (classOf(text, at) !== classOf(text, at - 1)) turns += 1;
  return turns / (text.length - 1) >= TURNS_MIN && text.length >= 8;
}

function classOf(text: string, at: number): number {
  const code = text.charCodeAt(at);
  return code <= 0x39 ? 0 : code <= 0x5a ? 1 : 2;
}
