import { type Hide, hideWhole } from '@/server/shared/masking/hide';

/** Up to the last `@` before the path; for a password with a `/` in it, to the first `@` after it. */
const USER_INFO =
  /(?<=:\/\/)(?:[^\s"'<>/?#]+(?=@)|[^\s/?#:@"']*:(?!\d+(?:[/?#]|$)|\/\/)(?:(?!:\/\/)[^\s"'@]){0,128}(?:@[^\s"'<>/?#@]*)*(?=@))/g;

/** The same with spaces in the password; before a host, so that it is no sentence with an address in it. */
const SPACED_USER_INFO =
  /(?<=:\/\/)[^\s/?#:@"'<>]{0,64}:(?!\d{1,5}[\s/])[^\n"'<>@/]{1,64}(?=@[\w.-]+(?::\d+)?(?:[/?]|$))/g;

/** `user:password@tcp(db:3306)/app` of Go's driver for MySQL, `user:password@(db)/app`. */
const PROTOCOL_DSN = /(?<![\w.:@/[-])([\w.%+-]{1,64}:)([^\s"'`()]{1,128})(?=@[a-z0-9]{0,12}\()/gi;

/** Oracle: `jdbc:oracle:thin:scott/password@//db:1521/x`. */
const ORACLE_URL = /(?<=\bjdbc:oracle:(?:thin|oci8?):)([\w.$#-]{1,64}\/)("[^"\n]*"|[^\s"'@:]{1,128})(?=@)/gi;

/** `scott/password@db`, alone or behind a sign, where it is no package, no image and no branch. */
const ORACLE =
  /(?<![\w.@:/$#-])([A-Za-z][\w.$#]{0,30}\/)([^\s"'@/:]{1,64})(?=@(?:\/\/)?([\w.-]{1,128})(?![\w.@-]))/g;
const RELEASE =
  /^(?:v?\d[\w.+-]*|sha\d+|latest|main|master|develop|dev|head|next|stable|trunk|[0-9a-f]{7,64})$/i;

/** Packages and repositories have lower case words. */
const PLAIN_WORDS =
  /^(?:[a-z]+|[A-Z]?[a-z]+|[A-Z]+|\d{1,4}|v\d+)(?:[-_.](?:[A-Za-z]?[a-z]+|[A-Z]+|\d{1,4}|v\d+))*$/;

/** A line of `.pgpass`: host, port, database, user, password. */
const PGPASS =
  /(?<![^\n"'])([\w.*-]{1,128}:(?:\d{1,5}|\*):[\w.*-]{1,64}:[\w.*-]{1,64}:)([^\s"':]{4,128})(?![^\s"'])/g;

/** An address that is a secret by its path, as those of incoming webhooks are. */
const HOOK_URL =
  /(https?:\/\/(?:[\w.-]{0,128}\b(?:web)?hooks?\b[\w.-]{0,128}|[\w.-]{1,128}(?::\d+)?(?:\/[\w-]{1,64}){0,4}?\/(?:web)?hooks?)\/)([^\s"'<>?#]+)/gi;

/** The text with user-info of URLs and passwords of connection strings replaced. */
export function hideInConnectionStrings(text: string, hide: Hide): string {
  let hidden = text;
  if (hidden.includes('://')) {
    hidden = hidden
      .replace(USER_INFO, (value) => hideWhole(value, hide))
      .replace(SPACED_USER_INFO, (value) => (/\s/.test(value) ? hideWhole(value, hide) : value))
      .replace(HOOK_URL, (whole, before: string, path: string) =>
        path.split(/[-_./]/).some(isGenerated) ? before + hideWhole(path, hide) : whole,
      );
  }
  if (hidden.includes('@')) {
    const hideSecond = (_: string, before: string, password: string) => before + hideWhole(password, hide);
    hidden = hidden
      .replace(PROTOCOL_DSN, hideSecond)
      .replace(ORACLE_URL, hideSecond)
      .replace(ORACLE, (whole, user: string, password: string, host: string) =>
        RELEASE.test(host) || PLAIN_WORDS.test(password) ? whole : user + hideWhole(password, hide),
      );
  }
  return hidden.replace(PGPASS, (_, before: string, password: string) => before + hideWhole(password, hide));
}

/** Letters and digits in one word, as ids that cannot be guessed have. */
function isGenerated(part: string): boolean {
  return part.length >= 8 && /\d/.test(part) && /[A-Za-z]/.test(part) && !/^v\d+[a-z]*\d*$/.test(part);
}
