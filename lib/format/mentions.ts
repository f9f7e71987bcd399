/*
 * Mentions in the text of a comment: `@` and the name of a person, as it was written. The text is all there is of
 * them; which names count is for the archive to say, since a name may have spaces, dots, and an `@` of its own.
 */

/** Where a text mentions a person: from the `@` to the end of the name. */
interface MentionRange {
  start: number;
  end: number;
  /** As the archive has it; the text may differ in case. */
  name: string;
}

/** Longer names are not mentioned. */
const MENTIONED_NAME_CHARS_MAX = 200;

/** What may stand before the `@`; with a letter there it is an address. */
const BEFORE = /[\s([{<"'“‘*_~>,;|]/u;
/** After a name: its last word continues, or it is only the beginning of a longer name. */
const CONTINUES = /^(?:[\p{L}\p{N}\p{M}_]|[.@:/\\+-]+[\p{L}\p{N}_])/u;
/** The `@` signs of one text that are looked at. */
const SIGNS_MAX = 50;

/** Whether a mention may begin with the `@` at this place. */
function isMentionStart(text: string, at: number): boolean {
  return text[at] === '@' && (at === 0 || BEFORE.test(text.charAt(at - 1)));
}

/** Everything in the text that may be the name of a person, in lower case. */
export function possibleNames(text: string): string[] {
  const found = new Set<string>();
  for (const start of signsOf(text)) {
    const [rest = ''] = text.slice(start + 1, start + 1 + MENTIONED_NAME_CHARS_MAX + 1).split('\n', 1);
    for (let end = 1; end <= Math.min(rest.length, MENTIONED_NAME_CHARS_MAX); end += 1)
      if (isWholeAt(text, start + 1 + end)) found.add(rest.slice(0, end).toLowerCase());
  }
  return [...found];
}

/** Where the text mentions one of `names`, in order; of two names that fit, the longer one is meant. */
export function findMentions(text: string, names: readonly string[]): MentionRange[] {
  const longestFirst = [...new Set(names)].filter((name) => name !== '').sort((a, b) => b.length - a.length);
  const ranges: MentionRange[] = [];
  for (const start of signsOf(text)) {
    if (start < (ranges.at(-1)?.end ?? 0)) continue;
    const name = longestFirst.find((each) => isNamedAt(text, start + 1, each));
    if (name !== undefined) ranges.push({ start, end: start + 1 + name.length, name });
  }
  return ranges;
}

function signsOf(text: string): number[] {
  const signs: number[] = [];
  for (let at = text.indexOf('@'); at !== -1 && signs.length < SIGNS_MAX; at = text.indexOf('@', at + 1))
    if (isMentionStart(text, at)) signs.push(at);
  return signs;
}

function isNamedAt(text: string, at: number, name: string): boolean {
  const written = text.slice(at, at + name.length);
  return written.toLowerCase() === name.toLowerCase() && isWholeAt(text, at + name.length);
}

/** Whether a name may end here. */
function isWholeAt(text: string, end: number): boolean {
  return !CONTINUES.test(text.slice(end, end + 16));
}

/** A name has at most this many spaces while it is typed. */
const TYPED_SPACES_MAX = 3;
const TYPED_CHARS_MAX = 60;

/** The mention that is being typed at the caret: where its `@` is, and what follows it so far. Null where there is none. */
export function typedMention(text: string, caret: number): { start: number; query: string } | null {
  const from = Math.max(0, caret - TYPED_CHARS_MAX - 1);
  for (let start = caret - 1; start >= from; start -= 1) {
    if (!isMentionStart(text, start)) continue;
    const query = text.slice(start + 1, caret);
    const isName = !/\n|^\s/.test(query) && query.split(' ').length <= TYPED_SPACES_MAX + 1;
    return isName ? { start, query } : null;
  }
  return null;
}
