import { type Json, type JsonObject, setMember } from '@/lib/kube/json';
import { badRequest } from '@/sandbox/api/objects/api-status';
import { FIELD_NUMBERS } from '@/sandbox/api/protobuf-fields';
import { showJson } from '@/sandbox/api/objects/stored-object';

export const PROTOBUF = 'application/vnd.kubernetes.protobuf';

/**
 * Every body starts with it. https://kubernetes.io/docs/reference/using-api/api-concepts/#protobuf-encoding
 */
const MAGIC = Buffer.from('k8s\0');

/**
 * A body as JSON. kubectl sends the objects that it builds itself (`create deployment`, `auth can-i`) in this
 * form; only the fields that it writes are known. Throws ApiStatus 400 on other fields, and on any other
 * body.
 */
export function decodeProtobuf(body: Buffer): JsonObject {
  if (!body.subarray(0, MAGIC.length).equals(MAGIC))
    throw badRequest('the body is not in the protobuf form of Kubernetes');
  const envelope = readMessage('Unknown', body.subarray(MAGIC.length));
  const { typeMeta, raw } = envelope;
  const { apiVersion = '', kind = '' } = typeMeta as { apiVersion?: string; kind?: string };
  if (!(kind in MESSAGES)) throw badRequest(`a ${kind} is not taken in protobuf form; send it as JSON`);

  return { apiVersion, kind, ...readMessage(kind, Buffer.from(showJson(raw), 'base64')) };
}

/** How a field is decoded: by the letters of `protobuf-fields.ts`. */
interface ProtoField {
  readonly name: string;
  readonly type: string;
}

const MESSAGES: Readonly<Record<string, ReadonlyMap<number, ProtoField>>> = readTable(FIELD_NUMBERS);

function readTable(table: string): Record<string, Map<number, ProtoField>> {
  const messages = table
    .trim()
    .split('\n')
    .map((line): [string, Map<number, ProtoField>] => {
      const [name = '', ...codes] = line.split(/:?\s+/);
      const fields = codes.map((code): [number, ProtoField] => {
        const [, number = '', field = '', type = ''] = /^(\d+)(\w+)(.*)$/.exec(code) ?? [];
        return [Number(number), { name: field, type }];
      });
      return [name, new Map(fields)];
    });

  return Object.fromEntries(messages);
}

function readMessage(message: string, bytes: Buffer): JsonObject {
  const result: JsonObject = {};
  for (const { number, value } of wireFields(bytes)) {
    const field = MESSAGES[message]?.get(number);
    if (field === undefined) {
      if (value === 0 || (Buffer.isBuffer(value) && value.length === 0)) continue;
      throw badRequest(
        `field ${number} of ${message} is not taken in protobuf form; send the object as JSON`,
      );
    }
    readField(result, field, value);
  }
  return result;
}

function readField(result: JsonObject, { name, type }: ProtoField, value: number | Buffer): void {
  const bytes = Buffer.isBuffer(value) ? value : Buffer.alloc(0);
  switch (type.charAt(0)) {
    case '-':
      return;
    case '#':
      setMember(result, name, Number(value));
      return;
    case '?':
      setMember(result, name, value !== 0);
      return;
    case '!':
      setMember(result, name, bytes.toString('base64'));
      return;
    case '@':
      if (bytes.length > 0) setMember(result, name, time(bytes));
      return;
    case '=':
      setMember(result, name, readMessage(type.slice(1), bytes));
      return;
    case '[': {
      const item = type.length > 2 ? readMessage(type.slice(2), bytes) : bytes.toString('utf8');
      setMember(result, name, [...listOf(result[name]), item]);
      return;
    }
    case '{': {
      const { key = '', value: entry = '' } = readMessage(type === '{!}' ? 'BytesEntry' : 'TextEntry', bytes);
      const map = result[name] === undefined ? {} : (result[name] as JsonObject);
      setMember(map, showJson(key), entry);
      setMember(result, name, map);
      return;
    }
    default:
      setMember(result, name, bytes.toString('utf8'));
  }
}

function listOf(value: Json | undefined): Json[] {
  return Array.isArray(value) ? value : [];
}

function time(bytes: Buffer): string {
  const { seconds = 0 } = readMessage('Time', bytes);

  return `${new Date(Number(seconds) * 1000).toISOString().slice(0, 19)}Z`;
}

/** https://protobuf.dev/programming-guides/encoding/ */
function* wireFields(bytes: Buffer): Generator<{ number: number; value: number | Buffer }> {
  let at = 0;
  const varint = (): number => {
    let result = 0n;
    for (let shift = 0n; ; shift += 7n) {
      const byte = bytes[at];
      if (byte === undefined || shift > 63n) throw badRequest('the body ends in the middle of a field');
      at += 1;
      result |= BigInt(byte & 0x7f) << shift;
      if (byte < 0x80) return Number(BigInt.asIntN(64, result));
    }
  };
  while (at < bytes.length) {
    const tag = varint();
    const number = tag >>> 3;
    if ((tag & 7) === 0) {
      yield { number, value: varint() };
    } else if ((tag & 7) === 2) {
      const length = varint();
      if (length < 0 || at + length > bytes.length)
        throw badRequest('the body ends in the middle of a field');
      at += length;
      yield { number, value: bytes.subarray(at - length, at) };
    } else {
      throw badRequest('the body has a field of a form that is not used');
    }
  }
}
