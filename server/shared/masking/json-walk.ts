import { LRUCache } from 'lru-cache';
import {
  deepEqual,
  isJsonObject,
  isNestedDeeper,
  isRawNumber,
  type Json,
  type JsonObject,
  parseJson,
  setMember,
} from '@/lib/kube/json';
import { runToEnd, type Sliced, SliceBudget } from '@/lib/kube/slices';
import type { CredentialNames } from '@/server/shared/masking/credential-name';
import { looksRandom } from '@/server/shared/masking/credential-shape';
import { hideInText, JWK_SECRETS } from '@/server/shared/masking/credential-text';
import { hideInWord, secretWordsOf } from '@/server/shared/masking/command-line';
import { hideWhole, MARKER } from '@/server/shared/masking/hide';

const LAST_APPLIED = 'kubectl.kubernetes.io/last-applied-configuration';

/** Deeper than any template; everything below is hidden. */
const DEPTH_MAX = 64;

/** Texts up to this length are searched; a longer one is hidden completely. */
export const TEXT_CHARS_MAX = 32_768;

/** What is hidden, and how. */
export interface Rules {
  readonly plainTexts: PlainTexts;
  /** The placeholder of a value. Equal values have equal ones. */
  readonly marker: (value: string) => string;
  readonly names: CredentialNames;
  /** Whether every value of an environment variable is hidden. */
  readonly hidesEnv: boolean;
}

/** What remains of a text's search: revisions of a workload, and workloads of a team, repeat nearly all of theirs. */
const PLAIN_MAX = 5_000;
const PLAIN_CHARS_MAX = 256;

/** Texts in which nothing was hidden, with the depth at which they were searched: further down less is read. */
export class PlainTexts {
  readonly #depths = new LRUCache<string, number>({ max: PLAIN_MAX });

  has(text: string, depth: number): boolean {
    const searchedAt = text.length > PLAIN_CHARS_MAX ? undefined : this.#depths.get(text);
    return searchedAt !== undefined && searchedAt <= depth;
  }

  add(text: string, depth: number): void {
    if (text.length <= PLAIN_CHARS_MAX) this.#depths.set(text, depth);
  }
}

/** One walk through a value. */
export interface Walk {
  rules: Rules;
  pace: SliceBudget;
}

/** A value with members, which a walk enters in slices; of any other one nothing is worth a slice. */
type Container = Json[] | JsonObject;

function isContainer(value: Json): value is Container {
  return typeof value === 'object' && value !== null && !isRawNumber(value);
}

export function maskValue(value: Json, walk: Walk, depth: number): Sliced<Json> {
  return isContainer(value) ? maskContainer(value, walk, depth) : done(maskLeaf(value, walk.rules, depth));
}

function maskContainer(value: Container, walk: Walk, depth: number): Sliced<Json> {
  if (depth > DEPTH_MAX) return done(walk.rules.marker(JSON.stringify(value)));
  return Array.isArray(value) ? maskList(value, walk, depth) : maskObject(value, walk, depth);
}

function maskLeaf(value: Json, rules: Rules, depth: number): Json {
  return typeof value === 'string' ? maskText(value, rules, depth) : value;
}

// It yields nothing: what it has is done.
// eslint-disable-next-line require-yield
function* done(value: Json): Sliced<Json> {
  return value;
}

function* maskList(
  list: readonly Json[],
  walk: Walk,
  depth: number,
  before: readonly Json[] = [],
): Sliced<Json> {
  const isText = (item: Json) => typeof item === 'string';
  if (list.every(isText)) return yield* maskWords(list, walk, depth, before.filter(isText));
  const masked: Json[] = [];
  for (const item of list) {
    if (walk.pace.isExhausted(item)) yield;
    masked.push(
      isContainer(item) ? yield* maskContainer(item, walk, depth + 1) : maskLeaf(item, walk.rules, depth + 1),
    );
  }
  return masked;
}

/**
 * The previous word and the program help to classify each word; `before` are the words of `command` before
 * `args`.
 */
function* maskWords(
  list: readonly string[],
  { rules, pace }: Walk,
  depth: number,
  before: readonly string[],
): Sliced<string[]> {
  const masked: string[] = [];
  const { names } = rules;
  const secrets = secretWordsOf([...before, ...list]);
  for (const [index, word] of list.entries()) {
    if (pace.isExhausted(word)) yield;
    const head = secrets.get(before.length + index);
    const previous = list[index - 1] ?? before.at(-1) ?? '';
    const hideText = (text: string) => maskText(text, rules, depth);
    if (head !== undefined) masked.push(word.slice(0, head) + hideWhole(word.slice(head), rules.marker));
    else masked.push(hideInWord(word, previous, names, hideText, (value) => rules.marker(value)));
  }
  return masked;
}

export function* maskObject(object: JsonObject, walk: Walk, depth: number): Sliced<JsonObject> {
  const masked: JsonObject = {};
  for (const [key, value] of Object.entries(object)) {
    if (value === undefined) continue;
    if (walk.pace.isExhausted(value)) yield;
    const member = { object, key, sibling: siblingOf(object, key) };
    setMember(
      masked,
      key,
      isContainer(value)
        ? yield* maskMember(member, value, walk, depth + 1)
        : maskLeafMember(member, value, walk.rules, depth + 1),
    );
  }
  return masked;
}

interface Member {
  object: JsonObject;
  key: string;
  /** The name of an environment variable, a header and the like is a member beside the value. */
  sibling: string | null;
}

function siblingOf(object: JsonObject, key: string): string | null {
  const sibling = key === 'value' ? (object.name ?? object.key) : undefined;
  return typeof sibling === 'string' ? sibling : null;
}

const isSecretData = ({ object, key }: Member) => object.kind === 'Secret' && SECRET_DATA.has(key);
const isJwkSecret = ({ object, key }: Member) => typeof object.kty === 'string' && JWK_SECRETS.has(key);

function maskLeafMember(member: Member, value: Json, rules: Rules, depth: number): Json {
  const { key, sibling } = member;
  const isHidden = isSecretData(member) || isJwkSecret(member) || (key === 'env' && rules.hidesEnv);
  if (isHidden) return hideAny(value, rules);
  const name = sibling ?? key;
  if (typeof value !== 'string')
    return rules.names.isCredentialName(name) ? hideLeaf(name, value, rules) : value;
  if (sibling !== null && looksRandom(value)) return hideWhole(value, rules.marker);
  return maskNamedText(name, value, rules, depth);
}

function maskMember(member: Member, value: Container, walk: Walk, depth: number): Sliced<Json> {
  const { object, key, sibling } = member;
  const { rules } = walk;
  const name = sibling ?? key;
  if (isSecretData(member)) return hideMembers(value, walk);
  if (isJwkSecret(member)) return done(hideAny(value, rules));
  if (key === 'env' && rules.hidesEnv) return hideEnv(value, walk);
  if (key === 'args' && Array.isArray(value) && Array.isArray(object.command))
    return maskList(value, walk, depth, object.command);
  const isHidden = rules.names.isCredentialName(name) && !isReference(value);
  return isHidden ? hideAll(name, value, walk) : maskContainer(value, walk, depth);
}

/** Every literal value of environment variables, in a list as pods have it or in a map by their names. */
function* hideEnv(env: Json, walk: Walk): Sliced<Json> {
  if (!Array.isArray(env)) return yield* hideMembers(env, walk);
  const hidden: Json[] = [];
  for (const entry of env) {
    const value = isJsonObject(entry) ? entry.value : undefined;
    if (walk.pace.isExhausted(value ?? null)) yield;
    const isGiven = isJsonObject(entry) && value !== undefined;
    hidden.push(isGiven ? { ...entry, value: hideAny(value, walk.rules) } : entry);
  }
  return hidden;
}

export function maskNamedText(name: string, text: string, rules: Rules, depth: number): string {
  if (name === LAST_APPLIED) return hideWhole(text, rules.marker);
  if (REFERENCE_FIELDS.test(name) || !rules.names.isCredential(name, text))
    return maskText(text, rules, depth);
  return hideWhole(text, rules.marker);
}

/** Of a complete Secret inside another object, such as a component of an Application. */
const SECRET_DATA: ReadonlySet<string> = new Set(['data', 'stringData']);

/** Whether it contains a complete Secret with its data. */
export function holdsSecret(value: Json, depth = 0): boolean {
  if (typeof value !== 'object' || value === null || isRawNumber(value)) return false;
  // Deeper values are never read.
  if (depth > DEPTH_MAX) return true;
  if (Array.isArray(value)) return value.some((item) => holdsSecret(item, depth + 1));
  if (value.kind === 'Secret' && [...SECRET_DATA].some((key) => value[key] !== undefined)) return true;
  return Object.values(value).some((member) => member !== undefined && holdsSecret(member, depth + 1));
}

/** The names of a Secret's data are not secret. */
function* hideMembers(value: Json, { rules, pace }: Walk): Sliced<Json> {
  if (!isJsonObject(value)) return hideAny(value, rules);
  const hidden: JsonObject = {};
  for (const key of Object.keys(value)) {
    const member = value[key];
    if (member === undefined) continue;
    if (pace.isExhausted(member)) yield;
    setMember(hidden, key, hideAny(member, rules));
  }
  return hidden;
}

function hideAny(value: Json, rules: Rules): Json {
  if (value === null) return value;
  return typeof value === 'string' ? hideWhole(value, rules.marker) : rules.marker(JSON.stringify(value));
}

/** Fields of the pod API that name the location of a secret. */
const REFERENCE_FIELDS =
  /^(?:[a-z][A-Za-z]*S|s)ecret(?:Name|File|Namespace|ProviderClass)$|^credentialBundlePath$|^gmsaCredentialSpec(?:Name)?$/;
const REFERENCE_MEMBERS = new Set(
  'name namespace key secretName items defaultMode optional path mode audience expirationSeconds'.split(' '),
);

/** Whether it only names the location of a secret, as `secretKeyRef`, `imagePullSecrets` and volumes do. */
function isReference(value: Json): boolean {
  if (Array.isArray(value)) return value.every((item) => isJsonObject(item) && isReference(item));
  if (!isJsonObject(value)) return false;
  // Not by entries: there may be very many, and the first other one ends the loop.
  return Object.keys(value).every((key) => {
    const member = value[key];
    if (!REFERENCE_MEMBERS.has(key)) return false;
    return typeof member !== 'object' || member === null || isReference(member);
  });
}

function* hideAll(name: string, value: Container, walk: Walk): Sliced<Json> {
  const { rules, pace } = walk;
  const hidden: Container = Array.isArray(value) ? [] : {};
  for (const [key, member] of Object.entries(value)) {
    if (member === undefined) continue;
    if (pace.isExhausted(member)) yield;
    const shown = isContainer(member) ? yield* hideAll(name, member, walk) : hideLeaf(name, member, rules);
    if (Array.isArray(hidden)) hidden.push(shown);
    else setMember(hidden, key, shown);
  }
  return hidden;
}

function hideLeaf(name: string, value: Json, { names, marker }: Rules): Json {
  if (typeof value === 'string') return names.isCredential(name, value) ? hideWhole(value, marker) : value;
  if (typeof value === 'number')
    return names.isCredential(name, String(value)) ? marker(String(value)) : value;
  return isRawNumber(value) ? marker(value.rawJSON) : value;
}

/** A text in a text in a text is read; one that is encoded more often is not. */
const DECODED_DEPTH = DEPTH_MAX / 8;

export function maskText(text: string, rules: Rules, depth: number): string {
  if (rules.plainTexts.has(text, depth)) return text;
  const masked = searchText(text, rules, depth);
  if (masked === text) rules.plainTexts.add(text, depth);
  return masked;
}

function searchText(text: string, rules: Rules, depth: number): string {
  if (isTooLong(text)) return rules.marker(text);
  const embedded = depth < DEPTH_MAX ? embeddedJson(text) : undefined;
  if (embedded === undefined) {
    const hideDecoded = (decoded: string) =>
      depth < DEPTH_MAX ? maskText(decoded, rules, depth + DECODED_DEPTH) : decoded;
    return hideInText(text, rules.names, (value) => rules.marker(value), hideDecoded);
  }
  const masked = runToEnd(maskValue(embedded, { rules, pace: new SliceBudget() }, depth + 1));
  // Where nothing is masked the text remains as it was written.
  return deepEqual(embedded, masked) ? text : JSON.stringify(masked);
}

/**
 * Markers don't count: masking must not make a text too long, or masking twice would no longer equal masking
 * once.
 */
function isTooLong(text: string): boolean {
  if (text.length <= TEXT_CHARS_MAX) return false;
  if (text.length > TEXT_CHARS_MAX * MARKER_GROWTH_MAX) return true;
  return text.replace(MARKERS, '').length > TEXT_CHARS_MAX;
}

const MARKERS = new RegExp(MARKER.source, 'g');

/**
 * The factor by which markers may lengthen a text: the shortest credential, with its name, has 4 characters.
 */
const MARKER_GROWTH_MAX = 6;

function embeddedJson(text: string): Json | undefined {
  if (!/^\s*[[{]/.test(text) || isNestedDeeper(text, DEPTH_MAX)) return undefined;
  try {
    return parseJson(text);
  } catch {
    return undefined;
  }
}
