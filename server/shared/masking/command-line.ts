import type { CredentialNames } from '@/server/shared/masking/credential-name';
import { looksRandom } from '@/server/shared/masking/credential-shape';
import { type Hide, hideWhole, MARKER } from '@/server/shared/masking/hide';
import { foldName } from '@/server/shared/masking/lookalikes';
import { isGenerated } from '@/server/shared/masking/prose';
import { isReadElsewhere, type Word, wordsFrom } from '@/server/shared/masking/shell-words';

/** How a program takes a password, where a name does not show it. */
interface Tool {
  /** Options whose value is the next word, or the rest of the same one. */
  next: readonly string[];
  attached: readonly string[];
  /** Without this word among its arguments the options mean something else. */
  only: string | undefined;
  /** The arguments without a name that are credentials, of those that are no options. */
  positions: (words: readonly string[]) => readonly number[];
}

const none = (): readonly number[] => [];

function tool(given: Partial<Tool>): Tool {
  return { next: [], attached: [], only: undefined, positions: none, ...given };
}

/** `mc alias set NAME URL KEY SECRET`. */
function afterAlias(words: readonly string[]): readonly number[] {
  const at = words.findIndex((word) => word === 'set' || word === 'add' || word === 's');
  return ['alias', 'host'].includes(words[at - 1] ?? '') ? [at + 3, at + 4] : [];
}

/** The words behind one of a command, such as the user and the password of `add_user`. */
function behind(command: RegExp, ...offsets: readonly number[]) {
  return (words: readonly string[]): readonly number[] => {
    const at = words.findIndex((word) => command.test(word));
    return at === -1 ? [] : offsets.map((offset) => at + offset);
  };
}

// prettier-ignore
const groups: readonly (readonly [names: string, tool: Tool])[] = [
  [
    'mysql mysqldump mysqladmin mysqlimport mysqlcheck mysqlshow mysqlslap mariadb mariadb-dump mariadb-admin mysqlsh mysqlbinlog xtrabackup mariabackup mydumper 7z 7za 7zr rar unrar',
    tool({ attached: ['-p'] }),
  ],
  ['mongo mongosh mongodump mongorestore mongoexport mongoimport mongostat mongotop rabbitmqadmin useradd usermod', tool({ next: ['-p'] })],
  ['sshpass', tool({ next: ['-p'], attached: ['-p'] })],
  ['docker podman nerdctl buildah skopeo helm crane oras az regctl', tool({ next: ['-p'], attached: ['-p'], only: 'login' })],
  [
    'redis-cli redis-benchmark valkey-cli keydb-cli',
    tool({ next: ['-a'], positions: behind(/^(?:auth|requirepass|masterauth)$/i, 1) }),
  ],
  ['ldapsearch ldapadd ldapmodify ldapdelete ldapmodrdn ldapwhoami ldapcompare ldapexop', tool({ next: ['-w'], attached: ['-w'] })],
  ['ldappasswd', tool({ next: ['-w', '-s', '-a'], attached: ['-w'] })],
  ['sqlcmd bcp osql isql mssql-cli unzip zip zipcloak ipmitool tsql freebcp', tool({ next: ['-P'], attached: ['-P'] })],
  ['curl', tool({ attached: ['-u', '-U'] })],
  ['smbclient rpcclient smbget', tool({ next: ['-U'], attached: ['-U'] })],
  ['lftp', tool({ next: ['-u'] })],
  ['snmpget snmpwalk snmpset snmpbulkwalk snmptrap snmptranslate', tool({ next: ['-A', '-X', '-c'] })],
  ['mosquitto_pub mosquitto_sub', tool({ next: ['-P'] })],
  ['cqlsh', tool({ next: ['-p'] })],
  ['htpasswd', tool({ positions: htpasswdPosition })],
  ['mosquitto_passwd', tool({ positions: (words) => (words.includes('-b') ? [3] : []) })],
  ['rabbitmqctl', tool({ positions: behind(/^(?:add_user|change_password|authenticate_user)$/, 2) })],
  ['mc mcli', tool({ positions: afterAlias })],
  ['vault bao', tool({ positions: vaultToken })],
  ['sqlplus sqlldr expdp impdp rman', tool({ positions: (words) => [1, 2].filter((at) => /^[^/]+\/./.test(words[at] ?? '')) })],
];

/** `htpasswd -b file user password`, and without the file under `-n`. */
function htpasswdPosition(words: readonly string[]): readonly number[] {
  const options = words.filter((word) => word.startsWith('-')).join('');
  if (!options.includes('b')) return [];
  return [options.includes('n') ? 2 : 3];
}

/** `vault login TOKEN`, as opposed to a sentence. */
function vaultToken(words: readonly string[]): readonly number[] {
  return /^(?=.*\d)[\w.-]{10,}$/.test(words[2] ?? '') && words[1] === 'login' ? [2] : [];
}

const TOOLS: ReadonlyMap<string, Tool> = new Map(
  groups.flatMap(([names, each]) => names.split(' ').map((name) => [name, each] as const)),
);

/** The programs in a text. Longer names first: `mongo` also begins `mongodump`. */
const PROGRAMS = new RegExp(
  String.raw`(?<![\w.-])(?:${[...TOOLS.keys(), 'kubectl', 'oc']
    .sort((a, b) => b.length - a.length)
    .join('|')})(?=[ \t])`,
  'gi',
);

/** `env`, `exec`, `sudo -u x` and the like may stand before the program. */
const TOOL_WORDS_MAX = 6;

/** Longer commands are data, and so is a text of very many. */
const WORDS_MAX = 64;
const COMMANDS_MAX = 100;
const FURTHER_WORDS_MAX = 12;

/** By the number of a word: how many of its characters come before the credential. */
type Secrets = ReadonlyMap<number, number>;
const noSecrets: Secrets = new Map();

/** The words of a command line that are credentials by the rules of the program that it runs. */
export function secretWordsOf(words: readonly string[]): Secrets {
  const programs = words.slice(0, TOOL_WORDS_MAX).map((word) => word.replace(/^.*\//, '').toLowerCase());
  const at = programs.findIndex((program) => TOOLS.has(program) || isKubectl(program));
  const program = programs[at];
  if (program === undefined) return noSecrets;
  if (isKubectl(program)) return literalsOf(words);
  const found = TOOLS.get(program);
  return found === undefined ? noSecrets : secretsOf(words, at, found);
}

function secretsOf(
  words: readonly string[],
  program: number,
  { next, attached, only, positions }: Tool,
): Secrets {
  const secrets = new Map<number, number>();
  if (only !== undefined && !words.includes(only)) return secrets;
  const plain: number[] = [];
  for (let at = program; at < words.length; at += 1) {
    const word = words[at] ?? '';
    const option = attached.find((each) => word.startsWith(each) && word.length > each.length);
    const previous = words[at - 1] ?? '';
    if (at > program && next.includes(previous) && takesPassword(previous, word)) secrets.set(at, 0);
    else if (option !== undefined && takesPassword(option, word)) secrets.set(at, option.length);
    else if (!word.startsWith('-')) plain.push(at);
  }
  for (const position of positions(plainWords(words, plain, program))) {
    const at = plain[position];
    if (at !== undefined && isCredentialPosition(words[at] ?? '')) secrets.set(at, 0);
  }
  return secrets;
}

/** After `-u` and `-U` a user may stand alone. */
function takesPassword(option: string, word: string): boolean {
  if (word === '' || /.\[masked:/.test(word.slice(option.length))) return false;
  return option.toLowerCase() !== '-u' || /[:%,]./.test(word);
}

/** With the options, by which a program decides what the others mean. */
function plainWords(words: readonly string[], plain: readonly number[], program: number): readonly string[] {
  const options = words.slice(program).filter((word) => word.startsWith('-'));
  return [...plain.map((at) => words[at] ?? ''), ...options];
}

/** A command of the program, such as `login -method=oidc`, is none. */
function isCredentialPosition(word: string): boolean {
  return !/^[/@]|^https?:/.test(word);
}

function isKubectl(program: string): boolean {
  return program === 'kubectl' || program === 'oc';
}

const LITERAL = /^(?:--from-literal=)?["']?[\w.-]+=(?=[^])/;

/** `kubectl create secret generic x --from-literal=name=value`. */
function literalsOf(words: readonly string[]): Secrets {
  const secrets = new Map<number, number>();
  if (!words.includes('secret')) return secrets;
  for (const [at, word] of words.entries()) {
    const isLiteral = word.startsWith('--from-literal=') || words[at - 1] === '--from-literal';
    const [head] = (isLiteral ? LITERAL.exec(word) : null) ?? [];
    if (head !== undefined) secrets.set(at, head.length);
  }
  return secrets;
}

/** The text, where what a known program takes as a password is replaced. */
export function hideInCommands(text: string, hide: Hide): string {
  let result = '';
  let done = 0;
  let commands = 0;
  PROGRAMS.lastIndex = 0;
  // Not `matchAll`, which makes another expression for each text.
  for (let match = PROGRAMS.exec(text); match !== null; match = PROGRAMS.exec(text)) {
    commands += 1;
    const words = wordsFrom(text, match.index, commands > COMMANDS_MAX ? FURTHER_WORDS_MAX : WORDS_MAX);
    for (const [at, head] of [...secretWordsOf(words.map((word) => word.text))].sort(([a], [b]) => a - b)) {
      const word = words[at];
      if (word === undefined || word.from < done) continue;
      const value = word.text.slice(head);
      if (isReadElsewhere(value)) continue;
      result += text.slice(done, word.from + head) + hideWhole(value, hide);
      done = word.to;
    }
  }
  return hideEchoed(result + text.slice(done), hide).replace(PASS_SOURCE, (value) => hideWhole(value, hide));
}

/** As openssl takes it: `-passin pass:x`. */
const PASS_SOURCE = /(?<=\s-pass(?:in|out|word)?[ \t=]["']?pass:)[^\s"']+/g;

const ECHO = /(?<![\w.-])(?:echo|printf)[ \t]+/g;
const READS_PASSWORD =
  /[ \t]*\|[^\n;&]{0,120}?(?:\blogin\b|-stdin\b|\bchpasswd\b|\bpasswd\b|\bsudo -S|\b--with-token\b)/y;

/** `echo x | docker login --password-stdin`. */
function hideEchoed(text: string, hide: Hide): string {
  let result = '';
  let done = 0;
  let commands = 0;
  ECHO.lastIndex = 0;
  for (let match = ECHO.exec(text); match !== null; match = ECHO.exec(text)) {
    if (match.index < done) continue;
    commands += 1;
    const from = match.index + match[0].length;
    const words = wordsFrom(text, from, commands > COMMANDS_MAX ? FURTHER_WORDS_MAX : WORDS_MAX);
    const last = words.at(-1);
    if (last === undefined) continue;
    READS_PASSWORD.lastIndex = endOfWord(text, last);
    if (!READS_PASSWORD.test(text)) continue;
    for (const word of words) {
      if (/^-\w+$|%s/.test(word.text) || isReadElsewhere(word.text)) continue;
      result += text.slice(done, word.from) + hideWhole(word.text, hide);
      done = word.to;
    }
  }
  return result + text.slice(done);
}

/** Behind the quote that closes it. */
function endOfWord(text: string, { from, to }: Word): number {
  const quote = text[from - 1];
  return (quote === '"' || quote === "'") && text[to] === quote ? to + 1 : to;
}

/** `name:password`, as opposed to the uid and gid of `--user 1000:1000`. */
export const USER_PAIR = /^["']?(?!\d+:\d+["']?$)[^\s:]+:./;

/** A setting that is written like a name, and its value as the next word: `set aws_secret_access_key x7`. */
const SETTING = /^[A-Za-z][\w.]*[-_.][\w.-]+$/;
/** Lists of names, such as those of headers, have one after the other. */
const SETTING_CHARS_MIN = 6;

/**
 * A word of a command line, as it is passed, with credentials replaced: `--password=…` to its end, the word after
 * `--token`, `PASSWORD=…` for `env`, a generated value, and what `hideText` finds in all others.
 */
export function hideInWord(
  word: string,
  previous: string,
  names: CredentialNames,
  hideText: Hide,
  hide: Hide,
): string {
  const before = foldName(previous);
  const isOption = /^--?[A-Za-z][\w.-]*$/.test(before);
  const isSetting = SETTING.test(before) && isGenerated(word, SETTING_CHARS_MIN);
  const isValue = (isOption && !/^--?[A-Za-z]/.test(word)) || isSetting;
  if (isValue && names.isCredential(before, word)) return hideWhole(word, hide);
  const isScript = /^-[a-z]*c$/.test(before) || word.includes('\n') || MARKER.test(word);
  const [, name = '', value = ''] = (isScript ? null : /^(-{0,2}[A-Za-z_][\w.-]*)=([^]*)$/.exec(word)) ?? [];
  if (names.mayName(name) && names.isCredential(name, value)) return `${name}=${hideWhole(value, hide)}`;
  if (names.isCredentialName(name)) return word;
  if (!isScript && looksRandom(name === '' ? word : value))
    return name === '' ? hide(word) : `${name}=${hide(value)}`;
  const isUserPair = /^(?:-u|-U|--user|--proxy-user)$/.test(before) && USER_PAIR.test(word);
  return isUserPair ? hideWhole(word, hide) : hideText(word);
}
