import { isCredential, isCredentialName } from '@/server/credential-name';

/** Stands in for a value. */
export type Hide = (value: string) => string;

export const MARKER = /\[masked:[0-9a-f]{8}\]/;
const WHOLE_MARKER = /^\[masked:[0-9a-f]{8}\]$/;
const BEGINS_MASKED = /^\[masked:[0-9a-f]{8}\](?=\s|$)/;

/** Without any of these no rule below applies; most texts of a template have none. */
const SUSPICIOUS = /[=:@_-]|bearer|basic|AKIA|ASIA|AIza|eyJ/i;

const PRIVATE_KEY = /-----BEGIN [A-Z ]*PRIVATE KEY-----[^]*?(?:-----END [A-Z ]*PRIVATE KEY-----|$)/g;
const HEADER = /\b((?:proxy-)?authorization|(?:set-)?cookie)([ \t]{0,4}:[ \t]{0,4})([^"'\n]+)/gi;
const SCHEME = /\b(bearer|basic)([ \t]+)(\[masked:[0-9a-f]{8}\]|[\w.~+/=-]{6,})/gi;
const PROSE = /^(?:auth|authentication|authorization|tokens?|credentials?|challenge|realm)$/i;
const SIGNATURE = /([?&](?:[\w-]*signature|sig)=)([^\s"'&#]+)/gi;
/** Up to the last `@` before the path; for a password with a `/` in it, to the first `@` after it. */
const USER_INFO =
  /(?<=:\/\/)(?:[^\s"'<>/?#]+(?=@)|[^\s/?#:@"']*:(?!\d+(?:[/?#]|$))[^\s"'@]{0,128}(?:@[^\s"'<>/?#@]*)*(?=@))/g;
const KNOWN_SHAPES = new RegExp(
  [
    String.raw`\beyJ[\w-]{5,}\.[\w-]{4,}\.[\w-]*`,
    String.raw`\bgh[pousr]_[A-Za-z0-9]{20,}|\bgithub_pat_\w{20,}|\bglpat-[\w-]{16,}|\bnpm_[A-Za-z0-9]{30,}`,
    String.raw`\bxox[abeprs]-[\w-]{10,}|(?<=hooks\.slack\.com/)(?:services|workflows)/[\w/]+`,
    String.raw`\b[sr]k_live_\w{10,}|\bsk-[\w-]{20,}|\bAIza[\w-]{30,}|\b(?:AKIA|ASIA)[A-Z0-9]{16}\b`,
  ].join('|'),
  'g',
);

/** `"password": …`, `X-Api-Key: …` after a quote, `token: …` at the start of a line. */
const MEMBER = /(?<=(?:^|[\n{,"'])[ \t]{0,40}(?:- )?["']?)([A-Za-z_][\w.-]*)["']?[ \t]{0,4}:[ \t]{0,4}/g;
const MEMBER_VALUE = /\[masked:[0-9a-f]{8}\]|"(?:\\[^]|[^"\\])*(?:"|\\?$)|'[^']*(?:'|$)|[^\s"',;{}[\]]+/y;
const ASSIGNMENT = /(?<![\w.-])(-{0,2}[A-Za-z_][\w.-]*)[ \t]{0,2}:?={1,2}[ \t]{0,2}/g;
const FLAG = /(?<![\w.-])(--?[A-Za-z][\w.-]*)[ \t]+(?!-)/g;
const USER = /(?<!\S)(-u|-U|--user|--proxy-user)(?:=|[ \t]+)/g;
/** One shell word: quoted parts, command substitutions and plain characters. A quote left open runs to the end. */
const WORD = /(?:"(?:\\[^]|[^"\\])*"|'[^']*'|\$\([^()]*\)|\\[^]|[^\s"'&;|<>\\])+|["'][^]*/y;
/** `name:password`, as opposed to the uid and gid of `--user 1000:1000`. */
const USER_PAIR = /^["']?(?!\d+:\d+["']?$)[^\s:]+:./;

/**
 * The text with every credential in it replaced: user-info in URLs, values of flags, assignments and members with a
 * credential-like name, `Authorization` and the like, and tokens known by their shape. Applying it twice is applying
 * it once. Takes time in proportion to the text, whatever it holds.
 */
export function hideInText(text: string, hide: Hide): string {
  if (!SUSPICIOUS.test(text)) return text;
  let hidden = hidePrivateKeys(text, hide).replace(
    HEADER,
    (_, name: string, between: string, value: string) => name + between + hideHeader(value, hide),
  );
  const hideNamed = (word: string, name: string) => hideWord(name, word, hide);
  hidden = replaceValues(hidden, MEMBER, MEMBER_VALUE, isCredentialName, hideNamed);
  hidden = hidden.replace(SCHEME, (whole, scheme: string, space: string, value: string) =>
    PROSE.test(value) ? whole : scheme + space + hideWhole(value, hide),
  );
  hidden = replaceValues(hidden, ASSIGNMENT, WORD, isCredentialName, hideNamed);
  hidden = replaceValues(hidden, FLAG, WORD, isCredentialName, hideNamed);
  hidden = replaceValues(
    hidden,
    USER,
    WORD,
    () => true,
    (word) => (USER_PAIR.test(word) ? hideQuoted(word, hide) : word),
  );
  return hidden
    .replace(SIGNATURE, (_, before: string, value: string) => before + hideWhole(value, hide))
    .replace(USER_INFO, (value) => hideWhole(value, hide))
    .replace(KNOWN_SHAPES, (value) => hide(value));
}

/**
 * A word of a command line, as it is passed, with credentials replaced: `--password=…` to its end, the word after
 * `--token`, `PASSWORD=…` for `env`, and what `hideText` finds in all others. `previous` is the word before it.
 */
export function hideInWord(word: string, previous: string, hideText: Hide, hide: Hide): string {
  const isFlagValue = /^--?[A-Za-z][\w.-]*$/.test(previous) && !/^--?[A-Za-z]/.test(word);
  if (isFlagValue && isCredential(previous, word)) return hideWhole(word, hide);
  const isScript = /^-[a-z]*c$/.test(previous) || word.includes('\n') || MARKER.test(word);
  const [, name = '', value = ''] = (isScript ? null : /^(-{0,2}[A-Za-z_][\w.-]*)=([^]*)$/.exec(word)) ?? [];
  if (isCredentialName(name)) {
    return isCredential(name, value) ? `${name}=${hideWhole(value, hide)}` : word;
  }
  const isUserPair = /^(?:-u|-U|--user|--proxy-user)$/.test(previous) && USER_PAIR.test(word);
  return isUserPair ? hideWhole(word, hide) : hideText(word);
}

/** The first of the rules of {@link hideInText} alone, for a text of any length. */
export function hidePrivateKeys(text: string, hide: Hide): string {
  return text.replace(PRIVATE_KEY, (key) => hide(key));
}

/**
 * Replaces what `value` (sticky) finds right after each match of `names` whose first group is wanted. The search goes
 * on behind the name or the value, so no part of the text is looked at twice.
 */
function replaceValues(
  text: string,
  names: RegExp,
  value: RegExp,
  isWanted: (name: string) => boolean,
  replacement: (value: string, name: string) => string,
): string {
  let result = '';
  let done = 0;
  names.lastIndex = 0;
  for (let match = names.exec(text); match !== null; match = names.exec(text)) {
    const [, name = ''] = match;
    if (!isWanted(name)) continue;
    value.lastIndex = names.lastIndex;
    const [found] = value.exec(text) ?? [];
    if (found === undefined) continue;
    result += text.slice(done, names.lastIndex) + replacement(found, name);
    done = names.lastIndex + found.length;
    names.lastIndex = done;
  }
  return result + text.slice(done);
}

function hideWord(name: string, word: string, hide: Hide): string {
  const isReadElsewhere = /^\$\(cat \/[\w./-]+\)$/.test(word) || /^\$\{?[A-Z_][A-Z0-9_]*\}?$/.test(word);
  const [inner] = unquoted(word);
  return isReadElsewhere || !isCredential(name, inner) ? word : hideQuoted(word, hide);
}

/** Quotes around the whole stay, so that the text keeps its form. */
function hideQuoted(word: string, hide: Hide): string {
  const [inner, quote] = unquoted(word);
  return quote + hideWhole(inner, hide) + quote;
}

function unquoted(word: string): [inner: string, quote: string] {
  const match = /^(["'])([^]*)\1$/.exec(word);
  return match === null ? [word, ''] : [match[2] ?? '', match[1] ?? ''];
}

/** A scheme before the value says nothing secret. */
function hideHeader(value: string, hide: Hide): string {
  const [, scheme = '', rest = ''] =
    /^((?:Bearer|Basic|Digest|Token|ApiKey)[ \t]+)?([^]*)$/i.exec(value) ?? [];
  return BEGINS_MASKED.test(rest) ? value : scheme + hideWhole(rest, hide);
}

function hideWhole(value: string, hide: Hide): string {
  return value === '' || WHOLE_MARKER.test(value) ? value : hide(value);
}
