import fc from 'fast-check';

/** Part of every secret, and of nothing else. */
export const SECRET = 'Zq9x';

/** Part of values that are secrets only once {@link LATER_NAME} is configured. */
export const LATER_SECRET = 'Wy7k';
export const LATER_NAME = 'zugang';

const letters = (length: number) =>
  fc.string({
    unit: fc.constantFrom(...'abcdefghijkmnpqrstuvwxyzABCDEFGHJKLMNPQRSTUVWXYZ23456789'),
    minLength: length,
    maxLength: length,
  });

const anyOf = (texts: readonly string[]) => fc.constantFrom(...texts);

/** Secrets as people and programs write them, each at random. */
export class SecretMaker {
  readonly #random: fc.GeneratorValue;

  constructor(random: fc.GeneratorValue) {
    this.#random = random;
  }

  /** Whether to do something, in half of the cases. */
  flip(): boolean {
    return this.#random(fc.boolean);
  }

  /** A password: to be recognized by its name alone. */
  value(): string {
    return `${SECRET}${this.#random(letters, 10)}`;
  }

  /** A token that is known by its shape, and is valid as a label, a tag and a name of a field manager. */
  token(): string {
    return `ghp_${SECRET}${this.#random(letters, 32)}`;
  }

  /** A text with a secret in it, of one line or several. */
  text(): string {
    if (this.flip()) return this.line();
    return this.#pick([
      `first line\npassword: ${this.value()}\nlast line`,
      `-----BEGIN RSA PRIVATE KEY-----\n${this.value()}\n-----END RSA PRIVATE KEY-----`,
      JSON.stringify({ db: { host: 'db', password: this.value() } }, null, 2),
      `db:\n  password: |\n    ${this.value()}\n  host: db`,
      `passwords:\n  - ${this.value()}\n  - ${this.value()}\nhost: db`,
      `<server>\n  <password>${this.value()}</password>\n</server>`,
      `machine git.example\n  login bot\n  password ${this.value()}`,
    ]);
  }

  /** The same in one line. */
  line(): string {
    const value = this.value();
    const token = this.token();
    if (this.flip() && this.flip()) return `run --${LATER_NAME}=${LATER_SECRET}${value.slice(SECRET.length)}`;
    return this.#pick([
      `cannot run migrate --password=${value}`,
      `cannot clone https://bot:${value}@git.example/shop.git: not found`,
      `request failed: Authorization: Bearer ${value}`,
      `Server=db;User Id=sa;Pwd=${value};Database=shop`,
      `the password is ${value}, sorry`,
      `docker login -u bot -p ${value} registry.example`,
      `export API_TOKEN='${value}' && run`,
      `deployed with ${token} by hand`,
      JSON.stringify({ db: { host: 'db', password: value } }),
      `config{User:"bob" Password:${value} Host:db}`,
      `cannot open bob:${value}@tcp(db:3306)/shop`,
      `ldapsearch -D cn=bot -w ${value} -b dc=example`,
      `mc alias set backup https://s3.example bot ${value}`,
      `echo ${value} | docker login -u bot --password-stdin`,
      `{\\"user\\":\\"bob\\",\\"password\\":\\"${value}\\"}`,
      `<add key="DbPassword" value="${value}"/>`,
      `${'a long message '.repeat(12)}--token=${value}`,
    ]);
  }

  /** A line with secrets that are known now, and one that is known later. */
  later(): string {
    return `${this.line()} --${LATER_NAME}=${LATER_SECRET}${this.#random(letters, 8)}`;
  }

  #pick(texts: readonly string[]): string {
    return this.#random(anyOf, texts);
  }
}
