import { isJsonObject, type Json, type JsonObject } from '@/lib/kube/json';
import { compareQuantities, parseQuantity } from '@/lib/kube/quantity';
import { matchesSelector, parseLabelSelector } from '@/lib/kube/selector';
import { type Cause, required, unsupported } from '@/sandbox/api/objects/api-status';
import {
  listOrEmptyAt,
  numberOrZeroAt,
  objectOrEmptyAt,
  showJson,
  textOrEmptyAt,
} from '@/sandbox/api/objects/stored-object';
import { invalidValue, validateLabels } from '@/sandbox/api/objects/validation';

const LABEL = /^[a-z0-9]([-a-z0-9]*[a-z0-9])?$/;
const LABEL_RULE =
  "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end with " +
  "an alphanumeric character (e.g. 'my-name',  or '123-abc', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?')";
const PROTOCOLS = ['SCTP', 'TCP', 'UDP'];
const PULL_POLICIES = ['Always', 'IfNotPresent', 'Never'];
const PORT_MAX = 65_535;

function duplicate(field: string, value: string): Cause {
  return { reason: 'FieldValueDuplicate', message: `Duplicate value: ${JSON.stringify(value)}`, field };
}

/** `spec.selector`, which every workload must have. */
export function validateSelector(spec: JsonObject, kind: string): Cause[] {
  const { selector } = spec;
  if (!isJsonObject(selector)) return [required('spec.selector')];
  const isEmpty =
    Object.keys(objectOrEmptyAt(selector, 'matchLabels')).length +
      listOrEmptyAt(selector, 'matchExpressions').length ===
    0;

  return isEmpty ? [invalidValue('spec.selector', selector, `empty selector is invalid for ${kind}`)] : [];
}

/** https://github.com/kubernetes/kubernetes/blob/master/pkg/apis/apps/validation/validation.go */
export function validateTemplate(spec: JsonObject, claimNames: readonly string[] = []): Cause[] {
  const template = objectOrEmptyAt(spec, 'template');
  const labels = objectOrEmptyAt(template, 'metadata', 'labels') as Record<string, string>;
  const selector = parseLabelSelector(spec.selector);
  const path = 'spec.template';
  const { restartPolicy } = objectOrEmptyAt(template, 'spec');

  return [
    ...(!matchesSelector(selector, labels)
      ? [
          invalidValue(
            `${path}.metadata.labels`,
            Object.keys(labels).length === 0 ? null : labels,
            '`selector` does not match template `labels`',
          ),
        ]
      : []),
    ...validateLabels(labels, `${path}.labels`),
    ...validatePodSpec(objectOrEmptyAt(template, 'spec'), `${path}.spec`, claimNames),
    ...(restartPolicy === 'Always'
      ? []
      : [unsupported(`${path}.spec.restartPolicy`, restartPolicy, ['Always'])]),
  ];
}

/** The common mistakes, not all that upstream rejects. */
export function validatePodSpec(spec: JsonObject, path: string, claimNames: readonly string[] = []): Cause[] {
  const volumes = listOrEmptyAt(spec, 'volumes');
  const names = [...volumes.map((volume) => textOrEmptyAt(volume, 'name')), ...claimNames];
  const containers = listOrEmptyAt(spec, 'containers');

  return [
    ...validateNames(volumes, `${path}.volumes`),
    ...(containers.length === 0 ? [required(`${path}.containers`)] : []),
    ...validateContainers(containers, `${path}.containers`, names),
    ...validateContainers(listOrEmptyAt(spec, 'initContainers'), `${path}.initContainers`, names),
  ];
}

function validateContainers(containers: Json[], path: string, volumes: readonly string[]): Cause[] {
  const seen = new Set<string>();

  return containers.flatMap((container, index) => {
    const at = `${path}[${index}]`;
    const name = textOrEmptyAt(container, 'name');
    const causes = validateContainer(objectOrEmptyAt({ container }, 'container'), at, volumes);
    if (seen.has(name)) causes.push(duplicate(`${at}.name`, name));
    seen.add(name);
    return causes;
  });
}

function validateContainer(container: JsonObject, path: string, volumes: readonly string[]): Cause[] {
  const policy = textOrEmptyAt(container, 'imagePullPolicy');

  return [
    ...validateName(container, path),
    ...(textOrEmptyAt(container, 'image') === '' ? [required(`${path}.image`)] : []),
    ...listOrEmptyAt(container, 'ports').flatMap((port, index) =>
      validatePort(port, `${path}.ports[${index}]`),
    ),
    ...listOrEmptyAt(container, 'env').flatMap((entry, index) =>
      textOrEmptyAt(entry, 'name') === '' ? [required(`${path}.env[${index}].name`)] : [],
    ),
    ...validateMounts(listOrEmptyAt(container, 'volumeMounts'), `${path}.volumeMounts`, volumes),
    ...(policy === '' || PULL_POLICIES.includes(policy)
      ? []
      : [unsupported(`${path}.imagePullPolicy`, policy, PULL_POLICIES)]),
    ...validateResources(objectOrEmptyAt(container, 'resources'), `${path}.resources`),
  ];
}

function validateName(entry: Json, path: string): Cause[] {
  const name = textOrEmptyAt(entry, 'name');
  if (name === '') return [required(`${path}.name`)];

  return LABEL.test(name) ? [] : [invalidValue(`${path}.name`, name, LABEL_RULE)];
}

function validateNames(entries: Json[], path: string): Cause[] {
  const seen = new Set<string>();

  return entries.flatMap((entry, index) => {
    const name = textOrEmptyAt(entry, 'name');
    const causes = validateName(entry, `${path}[${index}]`);
    if (seen.has(name)) causes.push(duplicate(`${path}[${index}].name`, name));
    seen.add(name);
    return causes;
  });
}

function validatePort(port: Json, path: string): Cause[] {
  const number = numberOrZeroAt(port, 'containerPort');
  const protocol = textOrEmptyAt(port, 'protocol');
  const causes = PROTOCOLS.includes(protocol) ? [] : [unsupported(`${path}.protocol`, protocol, PROTOCOLS)];
  if (number === 0) return [required(`${path}.containerPort`), ...causes];
  if (number < 0 || number > PORT_MAX)
    causes.unshift(
      invalidValue(`${path}.containerPort`, number, `must be between 1 and ${PORT_MAX}, inclusive`),
    );

  return causes;
}

function validateMounts(mounts: Json[], path: string, volumes: readonly string[]): Cause[] {
  const seen = new Set<string>();

  return mounts.flatMap((mount, index) => {
    const at = `${path}[${index}]`;
    const [name, mountPath] = [textOrEmptyAt(mount, 'name'), textOrEmptyAt(mount, 'mountPath')];
    const isUsed = seen.has(mountPath);
    seen.add(mountPath);
    return [
      ...(name === '' ? [required(`${at}.name`)] : []),
      ...(volumes.includes(name)
        ? []
        : [
            {
              reason: 'FieldValueNotFound',
              message: `Not found: ${JSON.stringify(name)}`,
              field: `${at}.name`,
            },
          ]),
      ...(mountPath === '' ? [required(`${at}.mountPath`)] : []),
      ...(isUsed ? [invalidValue(`${at}.mountPath`, mountPath, 'must be unique')] : []),
    ];
  });
}

function validateResources(resources: JsonObject, path: string): Cause[] {
  const limits = objectOrEmptyAt(resources, 'limits');
  const negative = (['limits', 'requests'] as const).flatMap((part) =>
    Object.entries(objectOrEmptyAt(resources, part)).flatMap(([name, amount]) =>
      showJson(amount).startsWith('-')
        ? [invalidValue(`${path}.${part}.${name}`, amount, 'must be greater than or equal to 0')]
        : [],
    ),
  );
  const beyond = Object.entries(objectOrEmptyAt(resources, 'requests')).flatMap(([name, amount]) =>
    isMore(amount, limits[name])
      ? [
          invalidValue(
            `${path}.requests`,
            amount,
            `must be less than or equal to ${name} limit of ${showJson(limits[name])}`,
          ),
        ]
      : [],
  );

  return [...negative, ...beyond];
}

function isMore(amount: Json | undefined, limit: Json | undefined): boolean {
  const [a, b] = [amount, limit].map((text) => (typeof text === 'string' ? parseQuantity(text) : undefined));

  return a !== undefined && b !== undefined && compareQuantities(a, b) > 0;
}
