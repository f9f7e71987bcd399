import { type Json, type JsonObject, setMember } from '@/lib/kube/json';
import { badRequest } from '@/sandbox/api/objects/api-status';
import { listOrEmptyAt, objectOrEmptyAt, showJson, textOrEmptyAt } from '@/sandbox/api/objects/stored-object';

/**
 * Numbers of the fields that kubectl writes in protobuf form, by message: `create` of a namespace, Deployment, ConfigMap
 * or Secret, and `auth` (https://github.com/kubernetes/api/blob/master/core/v1/generated.proto and its neighbors). A
 * line is a message, an entry the number and the name of a field, followed by
 *
 *     nothing   text       #    whole number    ?    truth           !    bytes (base64 in JSON)
 *     =M        message M  []   list of texts   []M  list of M       -    left out
 *     {}        map of texts                    {!}  map of bytes
 */
const FIELD_NUMBERS = `
Unknown: 1typeMeta=TypeMeta 2raw! 3contentEncoding- 4contentType-
TypeMeta: 1apiVersion 2kind
MapEntry: 1key 2value
BytesEntry: 1key 2value!
ObjectMeta: 1name 2generateName 3namespace 5uid- 6resourceVersion- 7generation- 8creationTimestamp- 11labels{} 12annotations{} 14finalizers[]
LabelSelector: 1matchLabels{}
Namespace: 1metadata=ObjectMeta 2spec- 3status-
ConfigMap: 1metadata=ObjectMeta 2data{} 4immutable?
Secret: 1metadata=ObjectMeta 2data{!} 3type 4stringData{} 5immutable?
Deployment: 1metadata=ObjectMeta 2spec=DeploymentSpec 3status-
DeploymentSpec: 1replicas# 2selector=LabelSelector 3template=PodTemplateSpec 4strategy=DeploymentStrategy 5minReadySeconds# 6revisionHistoryLimit# 7paused? 9progressDeadlineSeconds#
DeploymentStrategy: 1type
PodTemplateSpec: 1metadata=ObjectMeta 2spec=PodSpec
PodSpec: 2containers[]Container 3restartPolicy 4terminationGracePeriodSeconds# 6dnsPolicy 7nodeSelector{} 8serviceAccountName 14securityContext-
Container: 1name 2image 3command[] 4args[] 5workingDir 6ports[]ContainerPort 7env[]EnvVar 8resources- 13terminationMessagePath 14imagePullPolicy 20terminationMessagePolicy
ContainerPort: 1name 2hostPort# 3containerPort# 4protocol 5hostIP
EnvVar: 1name 2value
SelfSubjectAccessReview: 1metadata- 2spec=SelfSubjectAccessReviewSpec 3status-
SelfSubjectAccessReviewSpec: 1resourceAttributes=ResourceAttributes
ResourceAttributes: 1namespace 2verb 3group 4version 5resource 6subresource 7name
SelfSubjectRulesReview: 1metadata- 2spec=SelfSubjectRulesReviewSpec 3status-
SelfSubjectRulesReviewSpec: 1namespace
SelfSubjectReview: 1metadata- 2status-
`;

export const PROTOBUF = 'application/vnd.kubernetes.protobuf';

/** Every body starts with it. https://kubernetes.io/docs/reference/using-api/api-concepts/#protobuf-encoding */
const MAGIC = Buffer.from('k8s\0');

/**
 * A body as JSON. kubectl sends the objects that it builds itself in this form; only the fields that it writes are
 * known. Throws ApiStatus 400 on other fields, and on any other body, rather than lose anything.
 */
export function decodeProtobuf(body: Buffer): JsonObject {
  if (!body.subarray(0, MAGIC.length).equals(MAGIC))
    throw badRequest('the body is not in the protobuf form of Kubernetes');
  const envelope = readMessage('Unknown', body.subarray(MAGIC.length));
  const kind = textOrEmptyAt(envelope, 'typeMeta', 'kind');
  if (!MESSAGES.has(kind)) throw badRequest(`a ${kind} is not taken in protobuf form; send it as JSON`);
  const object = readMessage(kind, Buffer.from(showJson(envelope.raw), 'base64'));
  return { apiVersion: textOrEmptyAt(envelope, 'typeMeta', 'apiVersion'), kind, ...object };
}

/** Fields by number, each with its name and the letters of its type. */
const MESSAGES = new Map(
  FIELD_NUMBERS.trim()
    .split('\n')
    .map((line) => {
      const [message = '', ...codes] = line.split(/:?\s+/);
      const fields = codes.map((code) => {
        const [, number = '', name = '', type = ''] = /^(\d+)(\w+)(.*)$/.exec(code) ?? [];
        return [Number(number), { name, type }] as const;
      });
      return [message, new Map(fields)];
    }),
);

function readMessage(message: string, bytes: Buffer): JsonObject {
  const result: JsonObject = {};
  for (const { number, value } of wireFields(bytes)) {
    const field = MESSAGES.get(message)?.get(number);
    const isEmpty = value === 0 || (Buffer.isBuffer(value) && value.length === 0);
    if (field === undefined && !isEmpty)
      throw badRequest(
        `field ${number} of ${message} is not taken in protobuf form; send the object as JSON`,
      );
    if (field === undefined || field.type === '-') continue;
    setMember(result, field.name, readField(field.type, value, result[field.name]));
  }
  return result;
}

/** The value of a field; a list or a map has one entry more than `before`. */
function readField(type: string, value: number | Buffer, before: Json | undefined): Json {
  if (!Buffer.isBuffer(value)) return type === '?' ? value !== 0 : value;
  const text = value.toString('utf8');
  switch (type.charAt(0)) {
    case '!':
      return value.toString('base64');
    case '=':
      return readMessage(type.slice(1), value);
    case '[':
      return [
        ...listOrEmptyAt({ before }, 'before'),
        type === '[]' ? text : readMessage(type.slice(2), value),
      ];
    case '{': {
      const entry = readMessage(type === '{}' ? 'MapEntry' : 'BytesEntry', value);
      const map = { ...objectOrEmptyAt(before) };
      setMember(map, showJson(entry.key), entry.value ?? '');
      return map;
    }
    default:
      return text;
  }
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
    const length = varint();
    const [number, form] = [tag >>> 3, tag & 7];
    if (form === 0) {
      yield { number, value: length };
      continue;
    }
    if (form !== 2 || length < 0 || at + length > bytes.length)
      throw badRequest('the body has a field that cannot be read');
    at += length;
    yield { number, value: bytes.subarray(at - length, at) };
  }
}
