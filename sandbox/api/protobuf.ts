import { type Json, type JsonObject, setMember } from '@/lib/kube/json';
import { badRequest } from '@/sandbox/api/objects/api-status';
import { showJson } from '@/sandbox/api/objects/stored-object';

/**
 * Numbers of the fields that kubectl writes in protobuf form, by message
 * (https://github.com/kubernetes/api/blob/master/core/v1/generated.proto and its neighbors). A line is a message, an
 * entry the number and the name of a field, followed by
 *
 *     nothing   text       #    whole number    ?    truth          !    bytes (base64 in JSON)
 *     =M        message M  []   list of texts   []M  list of M      @    time
 *     {}        map of texts                    {!}  map of bytes   -    left out
 */
const FIELD_NUMBERS = `
Unknown: 1typeMeta=TypeMeta 2raw! 3contentEncoding- 4contentType-
TypeMeta: 1apiVersion 2kind
TextEntry: 1key 2value
BytesEntry: 1key 2value!
Time: 1seconds# 2nanos#
ObjectMeta: 1name 2generateName 3namespace 5uid 6resourceVersion 7generation# 8creationTimestamp@ 11labels{} 12annotations{} 14finalizers[]
LabelSelector: 1matchLabels{}
Namespace: 1metadata=ObjectMeta 2spec=NamespaceSpec 3status-
NamespaceSpec: 1finalizers[]
ConfigMap: 1metadata=ObjectMeta 2data{} 3binaryData{!} 4immutable?
Secret: 1metadata=ObjectMeta 2data{!} 3type 4stringData{} 5immutable?
ServiceAccount: 1metadata=ObjectMeta
Deployment: 1metadata=ObjectMeta 2spec=DeploymentSpec 3status-
DeploymentSpec: 1replicas# 2selector=LabelSelector 3template=PodTemplateSpec 4strategy=DeploymentStrategy 5minReadySeconds# 6revisionHistoryLimit# 7paused? 9progressDeadlineSeconds#
DeploymentStrategy: 1type
PodTemplateSpec: 1metadata=ObjectMeta 2spec=PodSpec
PodSpec: 2containers[]Container 3restartPolicy 4terminationGracePeriodSeconds# 6dnsPolicy 7nodeSelector{} 8serviceAccountName 14securityContext-
Container: 1name 2image 3command[] 4args[] 5workingDir 6ports[]ContainerPort 7env[]EnvVar 8resources- 13terminationMessagePath 14imagePullPolicy 20terminationMessagePolicy
ContainerPort: 1name 2hostPort# 3containerPort# 4protocol 5hostIP
EnvVar: 1name 2value
HorizontalPodAutoscaler: 1metadata=ObjectMeta 2spec=HorizontalPodAutoscalerSpec 3status-
HorizontalPodAutoscalerSpec: 1scaleTargetRef=CrossVersionObjectReference 2minReplicas# 3maxReplicas# 4metrics[]MetricSpec
CrossVersionObjectReference: 1kind 2name 3apiVersion
MetricSpec: 1type 4resource=ResourceMetricSource
ResourceMetricSource: 1name 2target=MetricTarget
MetricTarget: 1type 4averageUtilization#
DeleteOptions: 1gracePeriodSeconds# 2preconditions=Preconditions 3orphanDependents? 4propagationPolicy 5dryRun[]
Preconditions: 1uid 2resourceVersion
SelfSubjectAccessReview: 1metadata- 2spec=SelfSubjectAccessReviewSpec 3status-
SelfSubjectAccessReviewSpec: 1resourceAttributes=ResourceAttributes 2nonResourceAttributes=NonResourceAttributes
ResourceAttributes: 1namespace 2verb 3group 4version 5resource 6subresource 7name
NonResourceAttributes: 1path 2verb
SelfSubjectRulesReview: 1metadata- 2spec=SelfSubjectRulesReviewSpec 3status-
SelfSubjectRulesReviewSpec: 1namespace
SelfSubjectReview: 1metadata- 2status-
`;

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
