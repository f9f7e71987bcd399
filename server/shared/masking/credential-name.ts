import { LRUCache } from 'lru-cache';
import { foldName, hasLookalike } from '@/server/shared/masking/lookalikes';

/** Parts of a name, without separators, that make it a credential's name at any position. */
const CREDENTIAL_PARTS = new RegExp(
  [
    'PASSW(?:OR)?D|PASSPHRASE|PASSCODE|SECRET|TOKEN(?!I[SZ])|CREDENTIAL|AUTHORIZATION',
    'MASTERAUTH|REQUIREPASS|HONEYCOMBTEAM',
    'CONN(?:ECTION)?STR(?:ING)?|MNEMONIC|(?:SEED|RECOVERY)(?:PHRASE|WORD)S?|(?:RECOVERY|BACKUP)CODES?',
    // Keys of vendors: no key of a cache, a partition or a table.
    '(?:ALGOLIA|AMPLITUDE|ANTHROPIC|AWS|AZURE|BUGSNAG|CLOUDFLARE|COHERE|DATADOG|DD|DIGITALOCEAN|DISCORD|ELASTIC|FASTLY|FIREBASE|GCP|GITHUB|GITLAB|GOOGLE|GRAFANA|HCAPTCHA|HEROKU|HONEYCOMB|HUBSPOT|HUGGINGFACE|INFURA|INTERCOM|LAUNCHDARKLY|MAILCHIMP|MAILGUN|MANDRILL|MAPBOX|MAPS|MIXPANEL|NEWRELIC|OPENAI|OPSGENIE|PAGERDUTY|PAYPAL|PINECONE|PLAID|POSTMARK|PUSHER|RECAPTCHA|ROLLBAR|SALESFORCE|SEGMENT|SENDGRID|SENTRY|SHOPIFY|SLACK|SNYK|SPARKPOST|SQUARE|STRIPE|SUPABASE|TELEGRAM|TWILIO|VAPID|VAULT|WANDB|ZENDESK)KEYS?',
    '(?:API|ACCESS|PRIVATE|ENCRYPTION|SIGNING|MASTER|ACCOUNT|SHARED|STORAGE|SESSION|AUTH|LICENSE|SSH|HMAC|AES|RSA|DEPLOY|APP|FERNET|CIPHER)KEYS?',
    '(?:ROOT|ADMIN|CLIENT|SERVER|BOT|WEBHOOK|INGEST(?:ION)?|SERVICE|SERVICEACCOUNT|TLS)KEYS?(?!WORD|STORE|NAME|REF|TYPE|SIZE|USAGE|SPACE|ALG)',
  ].join('|'),
);

/** Short words that count only as separate words: AUTH, but not AUTHOR. */
const CREDENTIAL_WORDS =
  /^(?:PASS|PWD|PW|PIN|SEED|HMAC|LICEN[CS]E|CREDS?|AUTH|DSN|SAS|JWT|COOKIES?|OTP|TOTP|PSK|BEARER|SALT|PEPPER|(?!BY|COM|TRES)[A-Z]+PASS)$/;

/** Names of the shell that hold a path. In a connection string the same word is a password. */
const SHELL_NAMES = /^(?:OLD)?PWD$/;

const MEASURES =
  /^(?:SEED|TTL|EXPIRY|EXPIRES|EXPIRATION|EXPIRE|LIFETIME|AGE|TIMEOUT|INTERVAL|PERIOD|DURATION|SECONDS|MINUTES|HOURS|DAYS|MS|MAX|MIN|LIMIT|LENGTH|LEN|SIZE|BYTES|BITS|COUNT|RETRIES|ROUNDS|PORT|VERSION)$/;
const QUANTITY = /^(?:\d+(?:\.\d+)?\s*(?:[num]?s|m|h|d|w|y|[kmgt]i?b?|%)?)+$/i;
const SWITCH =
  /^(?:|true|false|yes|no|on|off|null|none|nil|enabled|disabled|required|optional|always|never|accept(?:ed)?)$/i;
const PATH_NAMES = /^(?:FILE|FILENAME|PATH|DIR|DIRECTORY|FOLDER|MOUNT)$/;
/** A key is often the path of its file: `--client-key=/etc/tls/tls.key`. */
const KEY_FILE =
  /^(?:file:\/\/)?\/?(?:[\w.@-]+\/)*[\w@-][\w.@-]*\.(?:key|pem|crt|cert|pub|p12|pfx|jks|json|ya?ml)$/;
const PLAIN_PATH = /^\.{0,2}(?:\/[\w.@-]+)+\/?$/;
/** `$(NAME)` is expanded by the kubelet from another variable, which has its own rule. */
const REFERENCE = /^\$\([A-Za-z_][\w.-]*\)$/;
const LOCATION_NAMES =
  /^(?:URL|URI|HOST|HOSTNAME|ENDPOINT|ISSUER|REALM|DOMAIN|SERVER|TYPE|METHOD|MODE|PROVIDER|SERVICE|SCOPES?|ALG|ALGO|ALGORITHM|HASH|DIGEST|MEMORY|TIER|KIND)$/;

/** Without any of these neither a name nor a text has anything in common with the name of a credential. */
const HINT =
  /pass|psw|pw|secret|token|cred|auth|conn|mnemonic|seed|recovery|backup|key|sign|pin|hmac|licen|dsn|sas|jw|cookie|otp|psk|bearer|salt|pepper|honeycomb/i;

/** What `…_KEY` names where it is no credential: a place in a cache, a table, a queue or a map. */
const PLAIN_KEYS =
  /^(?:ANNOTATION|BUCKET|CACHE|COLUMN|CONFIG|CONFIGMAP|DEDUP\w*|ETAG|FEATURE|FIELD|FLAG|FOREIGN|GROUP|GROUPING|HASH|HEADER|HOST|IDEMPOTENCY|INDEX|ITEM|LABEL|LOCK|LOOKUP|MAP|MESSAGE|META|METADATA|OBJECT|ORDER|PARTITION|PREFIX|PRIMARY|PROPERTY|PUB|PUBLIC|QUEUE|QUERY|RANGE|RECORD|ROUTING|ROW|S3|SEARCH|SHARD|SHARDING|SORT|SUFFIX|TABLE|TAG|TAINT|TENANT|TOPOLOGY|TRANSLATION|UNIQUE|ZONE)$/;

/** A value in words, as keys of caches and tables have: `orders`, `com.example/queue-2`. */
const PLAIN_VALUE = /^(?:[A-Za-z]+|\d{1,6}|v\d+)(?:[-_./:@](?:[A-Za-z]+|\d{1,6}|v\d+))*$/;

/** Ways to sign in, as `SHOP_AUTH=basic` names one. */
const AUTH_MODES =
  /^(?:basic|digest|bearer|jwt|oauth2?|oidc|saml|ldap|kerberos|gssapi|ntlm|mtls|x509|iam|token|scram-sha-(?:256|512)|proxy-[a-z]+|anonymous|local|session|plain)$/i;

/** The class of the name alone, cached. */
interface NameClass {
  /** `key`: `SHOP_KEY` and the like, which the value decides. Undefined: no credential's name. */
  kind: 'strong' | 'weak' | 'key' | undefined;
  /** Its last word is AUTH, which a way to sign in may follow. */
  isAuth: boolean;
  isMeasure: boolean;
  isPath: boolean;
  isKey: boolean;
  isLocation: boolean;
}

const NO_CREDENTIAL: NameClass = {
  kind: undefined,
  isAuth: false,
  isMeasure: false,
  isPath: false,
  isKey: false,
  isLocation: false,
};

/** Templates repeat a few hundred names. The limits protect against invented names. */
const NAMES_MAX = 5_000;
const NAME_CHARS_MAX = 200;

/** Tells names of credentials from others: by the common words, and by custom names. */
export class CredentialNames {
  readonly #classes = new LRUCache<string, NameClass>({ max: NAMES_MAX });
  readonly #customNames: readonly string[];

  /** `customNames`: names, or parts of names, that are not common for credentials. */
  constructor(customNames: readonly string[] = []) {
    this.#customNames = customNames
      .map((name) => ` ${wordsOf(name).join(' ')} `)
      .filter((words) => words.trim() !== '');
  }

  /**
   * Whether a value of this name is to be masked. A name that resembles a credential's counts, except where
   * the value itself proves that it is none: a switch, a number or duration of a TTL, size or limit, a path
   * under a name that ends in FILE or PATH, a reference to another variable, or a location under AUTH_URL and
   * the like.
   */
  isCredential(name: string, value: string): boolean {
    const { kind, isAuth, isMeasure, isPath, isKey, isLocation } = this.#classify(name);
    if (kind === undefined) return false;
    if (SWITCH.test(value) || REFERENCE.test(value)) return false;
    if (isMeasure && QUANTITY.test(value)) return false;
    if (isPath && PLAIN_PATH.test(value)) return false;
    if (isKey && KEY_FILE.test(value)) return false;
    if (isAuth && AUTH_MODES.test(value)) return false;
    if (kind === 'key') return !PLAIN_VALUE.test(value) && !PLAIN_PATH.test(value);
    return kind === 'strong' || !isLocation;
  }

  /** Whether the text may hold the name of a credential. False means that it does not. */
  mayOccurIn(text: string): boolean {
    return this.#customNames.length > 0 || HINT.test(text) || hasLookalike(text);
  }

  /** Whether some value of this name is to be masked. */
  mayName(name: string): boolean {
    return this.#classify(name).kind !== undefined;
  }

  /** Whether anything under this name may be a credential. */
  isCredentialName(name: string): boolean {
    return this.isCredential(name, 'x');
  }

  #classify(name: string): NameClass {
    if (!this.mayOccurIn(name)) return NO_CREDENTIAL;
    const known = this.#classes.get(name);
    if (known !== undefined) return known;
    const nameClass = this.#classifyWords(wordsOf(name));
    if (name.length <= NAME_CHARS_MAX) this.#classes.set(name, nameClass);
    return nameClass;
  }

  #classifyWords(words: readonly string[]): NameClass {
    const squeezed = words.join('');
    const last = words.at(-1) ?? '';
    const spaced = ` ${words.join(' ')} `;
    const kind = this.#customNames.some((own) => spaced.includes(own)) ? 'strong' : kindOf(words, squeezed);
    return {
      kind,
      isAuth: kind === 'weak' && last === 'AUTH',
      isMeasure: words.some((word) => MEASURES.test(word)),
      isPath: PATH_NAMES.test(last) || SHELL_NAMES.test(squeezed),
      isKey: /^KEY(?:FILE)?$/.test(last),
      isLocation: LOCATION_NAMES.test(last),
    };
  }
}

/** Without any custom names. */
export const commonNames = new CredentialNames();

function kindOf(words: readonly string[], squeezed: string): NameClass['kind'] {
  if (CREDENTIAL_PARTS.test(squeezed)) return 'strong';
  if (words.at(-1) === 'SIGNING') return 'strong';
  if (words.some((word) => CREDENTIAL_WORDS.test(word))) return 'weak';
  const last = words.at(-1);
  const isKey = words.length > 1 && last === 'KEY' && !words.some((word) => PLAIN_KEYS.test(word));
  return isKey ? 'key' : undefined;
}

/** `dbPassword`, `DB_PASSWORD`, `--db.password` and `example.com/db-password` are all DB, PASSWORD. */
function wordsOf(name: string): string[] {
  return withoutDomain(foldName(name))
    .replace(/([a-z0-9])([A-Z])/g, '$1 $2')
    .replace(/([A-Z])([A-Z][a-z])/g, '$1 $2')
    .toUpperCase()
    .split(/[^A-Z0-9]+/)
    .filter((word) => word !== '');
}

/** The domain before an annotation's name identifies the reader, not the content. */
function withoutDomain(name: string): string {
  const slash = name.indexOf('/');
  return slash > 0 && name.slice(0, slash).includes('.') ? name.slice(slash + 1) : name;
}
