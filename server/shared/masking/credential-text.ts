import type { CredentialNames } from '@/server/shared/masking/credential-name';
import { looksRandom, RANDOM_CHARS_MIN } from '@/server/shared/masking/credential-shape';
import { hideInBase64, longestRuns, RUN_CHARS_MIN } from '@/server/shared/masking/base64-text';
import { hideInCommands, USER_PAIR } from '@/server/shared/masking/command-line';
import { hideInConnectionStrings } from '@/server/shared/masking/connection-strings';
import { type Hide, hideWhole, MARKER } from '@/server/shared/masking/hide';
import { foldNames, hasLookalike } from '@/server/shared/masking/lookalikes';
import { hideInProse } from '@/server/shared/masking/prose';
import { isReadElsewhere, unquoted, WORD } from '@/server/shared/masking/shell-words';
import { hideInXml } from '@/server/shared/masking/xml-text';
import { hideInYaml } from '@/server/shared/masking/yaml-text';

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

/** The text, where tokens that services give a shape of their own are replaced. */
function hideKnownTokens(text: string, hide: Hide): string {
  return text.replace(KNOWN_SHAPES, (value) => hide(value));
}

const BEGINS_MASKED = /^\[masked:[0-9a-f]{8}\](?=\s|$)/;

/** Without any of these no rule below applies; most texts of a template have none. */
const SUSPICIOUS =
  /[=:@_<-]|bearer|basic|AKIA|ASIA|AIza|eyJ|ya29|SG\.|hv[sbr]\.|\bs\.|[A-Za-z0-9/+]{40}|pass|secret|token|key|auth|cred|login|\bpin\b/i;

const PRIVATE_KEY =
  /-----BEGIN [A-Z ]*PRIVATE KEY(?: BLOCK)?-----[^]*?(?:-----END [A-Z ]*PRIVATE KEY(?: BLOCK)?-----|$)/g;
const HEADER = /\b((?:proxy-)?authorization|(?:set-)?cookie)([ \t]{0,4}:[ \t]{0,4})([^"'\n]+)/gi;
const SCHEME =
  /\b(bearer|basic)([ \t]+)(\[masked:[0-9a-f]{8}\]|[\w.~+/=-]{6,}|(?<=bearer[ \t]+)(?=[a-z]*\d)[\w~+/-]{4,5}(?![\w.]))/gi;
const SCHEME_PROSE = /^(?:auth|authentication|authorization|tokens?|credentials?|challenge|realm)$/i;
const SIGNATURE = /([?&](?:[\w-]*signature|sig)=)([^\s"'&#]+)/gi;

/** `"password": …`, `X-Api-Key: …` after a quote, `token: …` at the start of a line. */
const MEMBER =
  /(?<=(?:^|[\n{,"'])[ \t]{0,40}(?:- )?["']?)([A-Za-z_][\w.-]*)(?:\\{0,7}["'])?[ \t]{0,4}:[ \t]{0,4}/g;
/** Also a block or a list of YAML of which a message has made one line. */
const MEMBER_VALUE =
  /\[masked:[0-9a-f]{8}\]|(?:[|>][-+0-9]{0,2}|-)[ \t]+(?=\S)(?!\[masked:)[^\n]*?(?=, ["']?[\w.-]+["']?\s*:|\n|$)|(\\{1,7}["'])(?:(?!\1)[^])*(?:\1|$)|"(?:\\[^]|[^"\\])*(?:"|\\?$)|'[^']*(?:'|$)|\$\{[^}\s]*\}|[^\s"',;{}[\]]+/y;
/** As Go prints a value with its names: `{User:bob Password:x}`, `map[password:x]`. */
const STRUCT = /(?:\{|\bmap\[)[A-Za-z_]\w*:(?=\S)/;
const FIELD = /(?<=[{[( ,&])([A-Za-z_]\w*):(?![\s/:=])/g;
const FIELD_VALUE =
  /\[masked:[0-9a-f]{8}\]|"(?:\\[^]|[^"\\])*"|(?:(?! [A-Za-z_]\w*:|[}\]](?:[\s}\],)]|$))[^\n])+/y;
/** Private members of a JSON Web Key. */
const JWK = /"?\bkty\b\\{0,7}"?\s{0,4}:/;
const ASSIGNMENT = /(?<![\w.-])(-{0,2}[A-Za-z_][\w.-]*)[ \t]{0,2}(?::?={1,2}>?|%3[AD])[ \t]{0,2}/gi;
const ARROW = /(?<![\w.-])([A-Za-z_][\w.-]*?)[ \t]{1,2}->[ \t]{1,2}/g;
const FLAG = /(?<![\w.-])(--?[A-Za-z][\w.-]*)[ \t]+(?!-)/g;
const USER = /(?<!\S)(-u|-U|--user|--proxy-user)(?:=|[ \t]+)/g;
/** A generated value of any option or variable. */
const RANDOM =
  /(?<![\w.-])((?:--?[A-Za-z][\w.-]{0,64}[= \t]|[A-Z][A-Z0-9_]{0,64}=)["']?)([A-Za-z0-9+/_-]{20,512}={0,2})(?![\w+/.=-])/g;

/**
 * The text with every credential in it replaced: user-info in URLs, values of flags, assignments and members
 * with a credential-like name, `Authorization` and the like, tokens known by their shape, and what base64 holds.
 * Applying it twice equals applying it once. Takes time in proportion to the text, whatever its content.
 * `hideDecoded` masks a text that was encoded in it.
 */
export function hideInText(
  text: string,
  names: CredentialNames,
  hide: Hide,
  hideDecoded: Hide = (decoded) => hideInText(decoded, names, hide),
): string {
  let hidden = text;
  // A value of which a later rule hid a part is a value that an earlier rule hides as a whole.
  for (let pass = 0; pass < PASSES_MAX; pass += 1) {
    const before = hidden;
    hidden = hideByRules(before, names, hide, hideDecoded);
    if (hidden === before) break;
  }
  return hidden;
}

/** Two are enough but for texts that were made to need more. */
const PASSES_MAX = 8;

function hideByRules(text: string, names: CredentialNames, hide: Hide, hideDecoded: Hide): string {
  if (!SUSPICIOUS.test(text) && !hasLookalike(text)) return text;
  let hidden = foldNames(hidePrivateKeys(text, hide), (name) => names.mayName(name));
  const { longest, mixed } = longestRuns(hidden);
  if (mixed >= RUN_CHARS_MIN)
    hidden = hideInBase64(hidden, (decoded) => hideDecoded(decoded) !== decoded, hide);
  if (JWK.test(hidden))
    hidden = replaceValues(hidden, MEMBER, MEMBER_VALUE, isJwkSecret, (word) => hideQuoted(word, hide));
  // Before the names: the scheme is no credential, and what follows it belongs to the same value.
  hidden = hidden.replace(SCHEME, (whole, scheme: string, space: string, value: string) =>
    SCHEME_PROSE.test(value) ? whole : scheme + space + hideWhole(value, hide),
  );
  if (names.mayOccurIn(hidden)) {
    hidden = hideInXml(hideInYaml(hidden, names, hide), names, hide);
    hidden = hideInProse(hideNamed(hidden, names, hide), names, hide);
  }
  hidden = hideUnnamed(hidden, hide);
  if (longest >= RANDOM_CHARS_MIN)
    hidden = hidden.replace(RANDOM, (whole, before: string, value: string) =>
      looksRandom(value) ? before + hide(value) : whole,
    );
  return hideKnownTokens(hideInConnectionStrings(hidden, hide), hide);
}

/** Values that stand behind the name of a credential, whatever the sign between them. */
function hideNamed(text: string, names: CredentialNames, hide: Hide): string {
  const may = (name: string) => names.mayName(name);
  const hideValue = (word: string, name: string) =>
    isVisible(names, name, word) ? word : hideQuoted(word, hide);
  let hidden = text.replace(
    HEADER,
    (_, name: string, between: string, value: string) => name + between + hideHeader(value, hide),
  );
  hidden = replaceValues(hidden, MEMBER, MEMBER_VALUE, may, hideValue);
  if (STRUCT.test(hidden)) hidden = replaceValues(hidden, FIELD, FIELD_VALUE, may, hideValue);
  hidden = replaceValues(hidden, ASSIGNMENT, WORD, may, hideValue);
  if (hidden.includes('->'))
    hidden = replaceValues(hidden, ARROW, WORD, may, (word, name) =>
      /[\d"']/.test(word) && !MARKER.test(word) ? hideValue(word, name) : word,
    );
  return replaceValues(hidden, FLAG, WORD, may, hideValue);
}

/** Credentials that an option or a program announces. */
function hideUnnamed(text: string, hide: Hide): string {
  const hidden = replaceValues(
    text,
    USER,
    WORD,
    () => true,
    (word) => (USER_PAIR.test(word) ? hideQuoted(word, hide) : word),
  );
  return hideInCommands(hidden, hide).replace(
    SIGNATURE,
    (_, before: string, value: string) => before + hideWhole(value, hide),
  );
}

/** The members of a JSON Web Key that only its owner knows. */
export const JWK_SECRETS: ReadonlySet<string> = new Set(['d', 'p', 'q', 'dp', 'dq', 'qi', 'oth', 'k']);
const isJwkSecret = (name: string) => JWK_SECRETS.has(name);

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

/** The sign of a block of text, which follows. */
const YAML_BLOCK = /^[|>][-+0-9]{0,2}$/;

function isVisible(names: CredentialNames, name: string, word: string): boolean {
  const [inner] = unquoted(word);
  return isReadElsewhere(word) || YAML_BLOCK.test(word) || !names.isCredential(name, inner);
}

/** Quotes around the value remain, so that the text keeps its form. */
function hideQuoted(word: string, hide: Hide): string {
  const [inner, quote] = unquoted(word);
  return quote + hideWhole(inner, hide) + quote;
}

/** A scheme before the value is not secret. */
function hideHeader(value: string, hide: Hide): string {
  const [, scheme = '', rest = ''] =
    /^((?:Bearer|Basic|Digest|Token|ApiKey)[ \t]+)?([^]*)$/i.exec(value) ?? [];
  return BEGINS_MASKED.test(rest) ? value : scheme + hideWhole(rest, hide);
}
