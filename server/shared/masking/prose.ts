import type { CredentialNames } from '@/server/shared/masking/credential-name';
import { type Hide, hideWhole, MARKER } from '@/server/shared/masking/hide';

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

/** `invalid password "x"`, `login with password x7 failed`. */
const QUOTED = /(\b(?:passwo?r?d|passphrase|passcode)[ \t]+)(["'`])([^\s"'`]{1,256})\2/gi;
const BARE =
  /(\b(?:passwo?r?d|passphrase|passcode|token|api[ -]key|access key|secret key)[ \t]+)(\[masked:[0-9a-f]{8}\]|[^\s"',;()[\]{}]+)/gi;
/** Of netrc, whose lines are words. */
const LOGIN =
  /(\b(?:login|user|username|account)[ \t]+\S{1,128}\s{1,8}(?:password|passwd|pass)[ \t]+)(\S+)/gi;
const PAIR = /(\b(?:credentials?|creds)[ \t]+["']?[\w.@-]{1,64}:)(?!\/)([^\s"',;]+)/gi;
/** A line of a configuration file: a name and its value, without a sign between them. */
const SETTING_LINE =
  /(?<=(?:^|\n)[ \t]*)([A-Za-z_][\w.-]{0,100})([ \t]+)("[^"\n]*"|'[^'\n]*'|[^\s"']+)(?=[ \t]*(?:\r?\n|$))/g;
/** `set aws_secret_access_key x7` in a sentence or a command. */
const SETTING = /(?<![\w./-])([A-Za-z]\w{0,100}[-_][\w.-]{1,100})([ \t]+)([^\s"',;]+)/g;

/** Names that sentences have too. */
const PROSE_NAME =
  /^(?:passw\w*|passphrase|passcode|pin|tokens?|secrets?|credentials?|auth\w*|cookies?|seed|license|salt|pass|bearer)$/i;

/** The text, where credentials in plain English, and in lines without signs, are replaced. */
export function hideInProse(text: string, names: CredentialNames, hide: Hide): string {
  let hidden = text;
  if (PROSE_HINT.test(hidden))
    hidden = hidden
      .replace(PROSE_SECRET, (whole, before: string, value: string) =>
        isPlainWord(before, value) ? whole : before + hideWhole(value, hide),
      )
      .replace(
        QUOTED,
        (_, before: string, quote: string, value: string) => before + quote + hideWhole(value, hide) + quote,
      )
      .replace(BARE, (whole, before: string, value: string) =>
        isGenerated(value, /^pass/i.test(before) ? 4 : 10) ? before + hideWhole(value, hide) : whole,
      )
      .replace(LOGIN, (whole, before: string, value: string) =>
        isPlainWord('password', value) ? whole : before + hideWhole(value, hide),
      )
      .replace(PAIR, (_, before: string, value: string) => before + hideWhole(value, hide));
  return hidden
    .replace(SETTING_LINE, (whole, name: string, space: string, value: string) => {
      if (!names.mayName(name) || !names.isCredential(name, value)) return whole;
      if (PROSE_NAME.test(name) && (isPlainWord(name, value) || !/^[a-z]/.test(name))) return whole;
      const quote = /^["']/.exec(value)?.[0] ?? '';
      const inner = quote === '' ? value : value.slice(1, -1);
      return name + space + quote + hideWhole(inner, hide) + quote;
    })
    .replace(SETTING, (whole, name: string, space: string, value: string) =>
      names.mayName(name) && names.isCredential(name, value) && isGenerated(value, 6)
        ? name + space + hideWhole(value, hide)
        : whole,
    );
}

const PROSE_HINT = /pass|\bpin\b|token|secret|key|cred/i;

/** A number with a unit, a version, an address or a time is no credential. */
const FIGURE = /^v?\d+(?:[.:/-]\d+)*[a-z%]{0,3}[.)]*$/i;

/** Letters and digits in one word. */
export function isGenerated(value: string, charsMin: number): boolean {
  return (
    value.length >= charsMin &&
    !MARKER.test(value) &&
    /\d/.test(value) &&
    /[A-Za-z]/.test(value) &&
    !FIGURE.test(value)
  );
}
