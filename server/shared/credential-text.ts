import { type CredentialNames } from '@/server/shared/credential-name';

/** The placeholder for a value. */
export type Hide = (value: string) => string;

export const MARKER = /\[masked:[0-9a-f]{8}\]/;
const WHOLE_MARKER = /^\[masked:[0-9a-f]{8}\]$/;
const BEGINS_MASKED = /^\[masked:[0-9a-f]{8}\](?=\s|$)/;

/** Without any of these no rule below applies; most texts of a template have none. */
const SUSPICIOUS =
  /[=:@_-]|bearer|basic|AKIA|ASIA|AIza|eyJ|ya29|SG\.|hv[sbr]\.|\bs\.|[A-Za-z0-9/+]{40}|passw|passphrase|passcode|secret|token|\bpin\b/i;

const PRIVATE_KEY =
  /-----BEGIN [A-Z ]*PRIVATE KEY(?: BLOCK)?-----[^]*?(?:-----END [A-Z ]*PRIVATE KEY(?: BLOCK)?-----|$)/g;
const HEADER = /\b((?:proxy-)?authorization|(?:set-)?cookie)([ \t]{0,4}:[ \t]{0,4})([^"'\n]+)/gi;
const SCHEME = /\b(bearer|basic)([ \t]+)(\[masked:[0-9a-f]{8}\]|[\w.~+/=-]{6,})/gi;
const SCHEME_PROSE = /^(?:auth|authentication|authorization|tokens?|credentials?|challenge|realm)$/i;
const SIGNATURE = /([?&](?:[\w-]*signature|sig)=)([^\s"'&#]+)/gi;
/** Up to the last `@` before the path; for a password with a `/` in it, to the first `@` after it. */
const USER_INFO =
  /(?<=:\/\/)(?:[^\s"'<>/?#]+(?=@)|[^\s/?#:@"']*:(?!\d+(?:[/?#]|$))[^\s"'@]{0,128}(?:@[^\s"'<>/?#@]*)*(?=@))/g;
/**
 * 40 characters of base64 with all its classes: a commit is lower case, and a path has no digits and capitals
 * in every part.
 */
const AWS_SECRET = String.raw`(?<![\w/+=.:@-])(?=[a-z0-9/+]*[A-Z])(?=[A-Z0-9/+]*[a-z])(?=[A-Za-z/+]*\d)(?![\w]*/[a-z]+/)[A-Za-z0-9][A-Za-z0-9/+]{39}(?![\w/+=.@-])`;
const KNOWN_SHAPES = new RegExp(
  [
    String.raw`\beyJ[\w-]{5,}\.[\w-]{4,}\.[\w-]*`,
    String.raw`\bgh[pousr]_[A-Za-z0-9]{20,}|\bgithub_pat_\w{20,}|\bglpat-[\w-]{16,}|\bnpm_[A-Za-z0-9]{30,}`,
    String.raw`\bxox[abeprs]-[\w-]{10,}|(?<=hooks\.slack\.com/)(?:services|workflows)/[\w/]+`,
    String.raw`(?<=discord(?:app)?\.com/api/webhooks/)\d+/[\w-]+|(?<=\.webhook\.office\.com/|outlook\.office\.com/)webhook(?:b2)?/[\w@./-]+`,
    String.raw`\b[sr]k_(?:live|test)_\w{10,}|\bwhsec_[\w+/=]{10,}|\bSG\.[\w-]{10,}\.[\w-]{10,}|\bhv[sbr]\.[\w-]{20,}|\bs\.[A-Za-z0-9]{24}\b`,
    String.raw`\bdo[opr]_v1_[0-9a-f]{32,}|\bshp(?:at|ca|pa|ss)_[0-9a-fA-F]{16,}|\bdckr_(?:pat|oat)_[\w-]{16,}|\b\d{6,12}:AA[\w-]{30,}`,
    String.raw`\bglsa_\w{20,}|\bxapp-[\w-]{20,}|\bpypi-[\w-]{30,}|\bAGE-SECRET-KEY-1[A-Z0-9]{40,}|\bATATT3[\w=-]{20,}|\blin_api_\w{20,}|\bhf_[A-Za-z]{30,}|\bya29\.[\w-]{20,}`,
    AWS_SECRET,
    String.raw`\bsk-[\w-]{20,}|\bAIza[\w-]{30,}|\b(?:AKIA|ASIA)[A-Z0-9]{16}\b`,
  ].join('|'),
  'g',
);

/** `"password": …`, `X-Api-Key: …` after a quote, `token: …` at the start of a line. */
const MEMBER = /(?<=(?:^|[\n{,"'])[ \t]{0,40}(?:- )?["']?)([A-Za-z_][\w.-]*)["']?[ \t]{0,4}:[ \t]{0,4}/g;
const MEMBER_VALUE = /\[masked:[0-9a-f]{8}\]|"(?:\\[^]|[^"\\])*(?:"|\\?$)|'[^']*(?:'|$)|[^\s"',;{}[\]]+/y;
const ASSIGNMENT = /(?<![\w.-])(-{0,2}[A-Za-z_][\w.-]*)[ \t]{0,2}:?={1,2}[ \t]{0,2}/g;
const FLAG = /(?<![\w.-])(--?[A-Za-z][\w.-]*)[ \t]+(?!-)/g;
const USER = /(?<!\S)(-u|-U|--user|--proxy-user)(?:=|[ \t]+)/g;
/** The option that passes a password to a known program, in a line of a script. */
const TOOL_PASSWORD = new RegExp(
  [
    String.raw`(?<=\b(?i:mysql|mysqldump|mysqladmin|mariadb|sshpass)\b[^\n;|&]{0,80}\s)(-p)(?=\S)`,
    String.raw`(?<=\b(?i:sshpass|mongo\w*|docker login|podman login|helm registry login|crane auth login|rabbitmqadmin|az login)\b[^\n;|&]{0,80}\s)(-p)[ \t]+`,
    String.raw`(?<=\b(?i:redis-cli|redis-benchmark|valkey-cli)\b[^\n;|&]{0,80}\s)(-a)[ \t]+`,
  ].join('|'),
  'g',
);
/** "password is x", in plain English. */
const PROSE_SECRET =
  /(\b(?:passwo?r?d|passphrase|passcode|pin|token|secret|api key) (?:is|was)[ \t]*:?[ \t]+)(\[masked:[0-9a-f]{8}\]|[^\s"',;]+)/gi;
const PROSE_WORDS =
  /^(?:a|an|the|in|on|at|by|of|for|from|to|as|no|not|now|never|only|still|too|too|used|set|unset|kept|read|known|wrong|right|valid|invalid|empty|missing|new|old|same|incorrect|correct|required|optional|short|long|weak|secret|there|gone|ok|fine|being|out|up|already|also|always|all|about|longer|shared|hidden|one|what|where|your|our|its|this|that)$/i;

/**
 * Words that continue sentences about credentials. Only after "password" a plain word counts as the password
 * itself.
 */
function isPlainWord(before: string, value: string): boolean {
  const word = value.replace(/[.!?)]+$/, '');
  if (!/^[a-z]+$/i.test(word)) return false;
  return (
    !/^(?:passw|passphrase|passcode|pin)/i.test(before) ||
    PROSE_WORDS.test(word) ||
    /(?:ed|ing|ly)$/.test(word)
  );
}

/** One shell word: quoted parts, command substitutions and plain characters. A quote left open runs to the end. */
const WORD = /(?:"(?:\\[^]|[^"\\])*"|'[^']*'|\$\([^()]*\)|\\[^]|[^\s"'&;|<>\\])+|["'][^]*/y;
/** `name:password`, as opposed to the uid and gid of `--user 1000:1000`. */
const USER_PAIR = /^["']?(?!\d+:\d+["']?$)[^\s:]+:./;

/**
 * The text with every credential in it replaced: user-info in URLs, values of flags, assignments and members
 * with a credential-like name, `Authorization` and the like, and tokens known by their shape. Applying it
 * twice equals applying it once. Takes time in proportion to the text, whatever its content.
 */
export function hideInText(text: string, names: CredentialNames, hide: Hide): string {
  if (!SUSPICIOUS.test(text)) return text;
  let hidden = hidePrivateKeys(text, hide).replace(
    HEADER,
    (_, name: string, between: string, value: string) => name + between + hideHeader(value, hide),
  );
  const shouldHide = (name: string) => names.isCredentialName(name);
  const hideNamed = (word: string, name: string) =>
    isVisible(names, name, word) ? word : hideQuoted(word, hide);
  hidden = replaceValues(hidden, MEMBER, MEMBER_VALUE, shouldHide, hideNamed);
  hidden = hidden.replace(SCHEME, (whole, scheme: string, space: string, value: string) =>
    SCHEME_PROSE.test(value) ? whole : scheme + space + hideWhole(value, hide),
  );
  hidden = replaceValues(hidden, ASSIGNMENT, WORD, shouldHide, hideNamed);
  hidden = replaceValues(hidden, FLAG, WORD, shouldHide, hideNamed);
  hidden = replaceValues(
    hidden,
    USER,
    WORD,
    () => true,
    (word) => (USER_PAIR.test(word) ? hideQuoted(word, hide) : word),
  );
  hidden = replaceValues(
    hidden,
    TOOL_PASSWORD,
    WORD,
    () => true,
    (word) => (/^\$/.test(word) ? word : hideQuoted(word, hide)),
  );
  return hidden
    .replace(PROSE_SECRET, (whole, before: string, value: string) =>
      isPlainWord(before, value) ? whole : before + hideWhole(value, hide),
    )
    .replace(SIGNATURE, (_, before: string, value: string) => before + hideWhole(value, hide))
    .replace(USER_INFO, (value) => hideWhole(value, hide))
    .replace(KNOWN_SHAPES, (value) => hide(value));
}

/** The context of a word of a command line. */
export interface WordContext {
  /** The word before it. */
  previous: string;
  /** Whether the program takes its password by a short option, and how. */
  tool: Tool | undefined;
}

/** Short options that pass a password to a program: as a word of its own, or as the rest of the same word. */
export interface Tool {
  next: string | undefined;
  attached: string | undefined;
}

/** The program that a command line runs, where it is one of those that take a password by a short option. */
export function credentialToolOf(words: readonly string[]): Tool | undefined {
  const programs = words.slice(0, TOOL_WORDS_MAX).map((word) => word.replace(/^.*\//, ''));
  const name = programs.find((word) => TOOLS[word] !== undefined);
  return name === undefined ? undefined : TOOLS[name];
}

/** `env`, `exec`, `sudo -u x` and the like may stand before the program. */
const TOOL_WORDS_MAX = 6;

const attachedP: Tool = { next: undefined, attached: '-p' };
const nextP: Tool = { next: '-p', attached: undefined };
const nextA: Tool = { next: '-a', attached: undefined };
const TOOLS: Readonly<Record<string, Tool | undefined>> = {
  ...Object.fromEntries(
    ['mysql', 'mysqldump', 'mysqladmin', 'mysqlimport', 'mariadb', 'mariadb-dump', 'mysqlsh'].map((name) => [
      name,
      attachedP,
    ]),
  ),
  ...Object.fromEntries(
    ['mongo', 'mongosh', 'mongodump', 'mongorestore', 'mongoexport', 'mongoimport'].map((name) => [
      name,
      nextP,
    ]),
  ),
  sshpass: { next: '-p', attached: '-p' },
  docker: nextP,
  podman: nextP,
  helm: nextP,
  crane: nextP,
  rabbitmqadmin: nextP,
  az: nextP,
  'redis-cli': nextA,
  'redis-benchmark': nextA,
  'valkey-cli': nextA,
};

/**
 * A word of a command line, as it is passed, with credentials replaced: `--password=…` to its end, the word after
 * `--token`, `PASSWORD=…` for `env`, and what `hideText` finds in all others.
 */
export function hideInWord(
  word: string,
  { previous, tool }: WordContext,
  names: CredentialNames,
  hideText: Hide,
  hide: Hide,
): string {
  if (tool?.next === previous && word !== '') return hideWhole(word, hide);
  const attached = tool?.attached;
  if (attached !== undefined && word.startsWith(attached) && word.length > attached.length)
    return attached + hideWhole(word.slice(attached.length), hide);
  const isFlagValue = /^--?[A-Za-z][\w.-]*$/.test(previous) && !/^--?[A-Za-z]/.test(word);
  if (isFlagValue && names.isCredential(previous, word)) return hideWhole(word, hide);
  const isScript = /^-[a-z]*c$/.test(previous) || word.includes('\n') || MARKER.test(word);
  const [, name = '', value = ''] = (isScript ? null : /^(-{0,2}[A-Za-z_][\w.-]*)=([^]*)$/.exec(word)) ?? [];
  if (names.isCredentialName(name)) {
    return names.isCredential(name, value) ? `${name}=${hideWhole(value, hide)}` : word;
  }
  const isUserPair = /^(?:-u|-U|--user|--proxy-user)$/.test(previous) && USER_PAIR.test(word);
  return isUserPair ? hideWhole(word, hide) : hideText(word);
}

/** The first of the rules of {@link hideInText} alone, for a text of any length. */
export function hidePrivateKeys(text: string, hide: Hide): string {
  return text.replace(PRIVATE_KEY, (key) => hide(key));
}

/**
 * Replaces what `value` (sticky) finds right after each match of `names` whose first group qualifies. The
 * search continues after the name or the value, so that it reads no part of the text twice.
 */
function replaceValues(
  text: string,
  names: RegExp,
  value: RegExp,
  shouldHide: (name: string) => boolean,
  replacement: (value: string, name: string) => string,
): string {
  let result = '';
  let done = 0;
  names.lastIndex = 0;
  for (let match = names.exec(text); match !== null; match = names.exec(text)) {
    const [, name = ''] = match;
    if (!shouldHide(name)) continue;
    value.lastIndex = names.lastIndex;
    const [found] = value.exec(text) ?? [];
    if (found === undefined) continue;
    result += text.slice(done, names.lastIndex) + replacement(found, name);
    done = names.lastIndex + found.length;
    names.lastIndex = done;
  }
  return result + text.slice(done);
}

function isVisible(names: CredentialNames, name: string, word: string): boolean {
  const isReadElsewhere = /^\$\(cat \/[\w./-]+\)$/.test(word) || /^\$\{?[A-Z_][A-Z0-9_]*\}?$/.test(word);
  const [inner] = unquoted(word);
  return isReadElsewhere || !names.isCredential(name, inner);
}

/** Quotes around the value remain, so that the text keeps its form. */
function hideQuoted(word: string, hide: Hide): string {
  const [inner, quote] = unquoted(word);
  return quote + hideWhole(inner, hide) + quote;
}

function unquoted(word: string): [inner: string, quote: string] {
  const match = /^(["'])([^]*)\1$/.exec(word);
  return match === null ? [word, ''] : [match[2] ?? '', match[1] ?? ''];
}

/** A scheme before the value is not secret. */
function hideHeader(value: string, hide: Hide): string {
  const [, scheme = '', rest = ''] =
    /^((?:Bearer|Basic|Digest|Token|ApiKey)[ \t]+)?([^]*)$/i.exec(value) ?? [];
  return BEGINS_MASKED.test(rest) ? value : scheme + hideWhole(rest, hide);
}

function hideWhole(value: string, hide: Hide): string {
  return value === '' || WHOLE_MARKER.test(value) ? value : hide(value);
}
