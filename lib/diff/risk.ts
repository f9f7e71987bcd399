import type { Risk } from '@/lib/api/diff';
import type { Scope } from '@/lib/diff/scope';
import { entryName, inlineText } from '@/lib/diff/entry';
import type { Difference } from '@/lib/diff/walk';
import { isMutableImage, parseImage } from '@/lib/kube/image';
import { isJsonObject, type Json, type JsonObject } from '@/lib/kube/json';
import { parseQuantity, percentLowered } from '@/lib/kube/quantity';

type LocatedDifference = Pick<Difference, 'kind' | 'before' | 'after'> & Scope;

/** Labels by which Services, policies and monitors often select pods; others (version, chart) change with releases. */
const SELECTOR_LABEL =
  /^(app|k8s-app|component|tier|role|name|release|app\.kubernetes\.io\/(name|instance|component|part-of))$/;

const PROBE_REMOVED: Readonly<Record<string, string>> = {
  livenessProbe: 'probe removed: hung processes are no longer restarted',
  readinessProbe: 'probe removed: traffic can reach pods that are not ready',
  startupProbe: 'probe removed: slow starts can be killed',
};

const LIMIT_REMOVED: Readonly<Record<string, string>> = {
  memory: 'memory limit removed: can use all memory of the node',
  cpu: 'cpu limit removed: can use all free cpu of the node',
};

/** The risk of one difference; null for most. Reversing a risky change is no risk. */
export function riskOf(difference: LocatedDifference): Risk | null {
  if (difference.kind === 'moved') return null;
  return difference.container === null ? podRisk(difference) : containerRisk(difference);
}

function containerRisk(located: LocatedDifference): Risk | null {
  const { fields, before, after } = located;
  switch (fields[0]) {
    case undefined:
      return isJsonObject(after) && before === undefined ? newContainerRisk(after) : null;
    case 'image':
      return imageRisk(before, after);
    case 'imagePullPolicy':
      return after === 'Never'
        ? risk('pull_never', 'never pulled: every node must already have the image')
        : null;
    case 'env':
      return envRisk(located);
    case 'envFrom':
      return after === undefined && isJsonObject(before) && isJsonObject(before.secretRef)
        ? risk('secret_env_removed', `no longer reads the keys of ${entryName('EnvFromSource', before)}`)
        : null;
    case 'resources':
      return resourceRisk(located);
    case 'livenessProbe':
    case 'readinessProbe':
    case 'startupProbe':
      return fields.length === 1 && after === undefined
        ? risk('probe_removed', PROBE_REMOVED[fields[0]] ?? 'probe removed')
        : null;
    case 'lifecycle':
      return fields[1] === 'preStop' && after === undefined
        ? risk('pre_stop_removed', 'pre-stop hook removed: requests can be cut off')
        : null;
    case 'securityContext':
      return securityRisk(located);
    case 'volumeMounts':
      return mountRisk(before, after);
    default:
      return null;
  }
}

function podRisk(located: LocatedDifference): Risk | null {
  const { fields, names, before, after } = located;
  switch (fields[0]) {
    case 'metadata':
      return fields[1] === 'labels' && before !== undefined && SELECTOR_LABEL.test(names[0] ?? '')
        ? risk('selector_label', `selectors on ${names[0]} may no longer match these pods`)
        : null;
    case 'volumes':
      return volumeRisk(located);
    case 'securityContext':
      return securityRisk(located);
    case 'hostNetwork':
    case 'hostPID':
    case 'hostIPC':
      return after === true
        ? risk(snakeCase(fields[0]), `shares the ${HOST_SHARES[fields[0]] ?? 'namespace'} of the node`)
        : null;
    case 'hostUsers':
      return before === false ? risk('host_users', 'root in the pod is root on the node') : null;
    case 'shareProcessNamespace':
      return after === true
        ? risk('shared_processes', 'containers can see and signal each other’s processes')
        : null;
    case 'serviceAccountName':
      return risk(
        'service_account',
        `runs as ${inlineText(after) || 'default'}: different permissions for the API server`,
      );
    case 'automountServiceAccountToken':
      return before === false ? risk('token_mounted', 'gets a token for the API server') : null;
    case 'terminationGracePeriodSeconds':
      return typeof before === 'number' && typeof after === 'number' && after < before
        ? risk('grace_period_lowered', 'shorter termination grace period')
        : null;
    case 'imagePullSecrets':
      return after === undefined
        ? risk('pull_secret_removed', 'private images may no longer be pulled')
        : null;
    default:
      return null;
  }
}

const HOST_SHARES: Readonly<Record<string, string>> = {
  hostNetwork: 'network',
  hostPID: 'process table',
  hostIPC: 'shared memory',
};

/** The worst risk of a new container. */
function newContainerRisk(container: JsonObject): Risk | null {
  const security = isJsonObject(container.securityContext) ? container.securityContext : {};
  const names = Object.entries(security).map(([field, after]) => securitySetting(field, undefined, after));
  return names.find((found) => found !== null) ?? imageRisk(undefined, container.image);
}

function imageRisk(before: Json | undefined, after: Json | undefined): Risk | null {
  if (typeof after !== 'string') return null;
  if (isMutableImage(after)) {
    const tag = parseImage(after)?.tag;
    return risk(
      'mutable_image',
      `${tag === undefined ? 'no tag' : `tag ${tag}`}: mutable tag, the image can change without a new revision`,
    );
  }
  if (typeof before !== 'string') return null;
  const [from, to] = [registryOf(before), registryOf(after)];
  return from === to ? null : risk('registry_changed', `pulled from ${to} instead of ${from}`);
}

function registryOf(image: string): string {
  return parseImage(image)?.registry ?? 'docker.io';
}

function envRisk({ fields, names, before, after }: LocatedDifference): Risk | null {
  const secret = secretOf(before);
  if (secret !== undefined && after === undefined) {
    return risk('secret_env_removed', `no longer set from Secret ${secret}`);
  }
  const value = fields.length === 1 && isJsonObject(after) ? after.value : undefined;
  const wasPlain = isJsonObject(before) && typeof before.value === 'string';
  return !wasPlain && typeof value === 'string' && isInlineSecret(names[0] ?? '', value)
    ? risk('inline_secret', 'looks like a credential in plain text')
    : null;
}

function secretOf(env: Json | undefined): string | undefined {
  const source = isJsonObject(env) ? env.valueFrom : undefined;
  const reference = isJsonObject(source) ? source.secretKeyRef : undefined;
  return isJsonObject(reference) ? inlineText(reference.name) : undefined;
}

function resourceRisk({ fields, names, before, after }: LocatedDifference): Risk | null {
  const [resource = ''] = names;
  const list = fields[1];
  if (list !== 'limits' && list !== 'requests') return null;
  const label = `${resource} ${list.slice(0, -1)}`;
  const code = `${list.slice(0, -1)}_${after === undefined ? 'removed' : 'lowered'}`;
  if (after === undefined) {
    const reason =
      list === 'limits'
        ? LIMIT_REMOVED[resource]
        : `${label} removed: QoS drops, evicted earlier under node pressure`;
    return risk(code, reason ?? `${label} removed`);
  }
  const [from, to] = [quantityOf(before), quantityOf(after)];
  const percent = from === undefined || to === undefined ? 0 : percentLowered(from, to);
  return percent === 0 ? null : risk(code, `${label} lowered by ${percent}%`);
}

function quantityOf(value: Json | undefined): ReturnType<typeof parseQuantity> {
  return typeof value === 'string' || typeof value === 'number' ? parseQuantity(value) : undefined;
}

function securityRisk({ fields, names, before, after }: LocatedDifference): Risk | null {
  const [, setting = '', list] = fields;
  if (setting === 'capabilities' && names.length > 0) {
    if (list === 'add' && before === undefined)
      return risk('capability_added', `gains capability ${names[0]}`);
    if (list === 'drop' && after === undefined) {
      return risk(
        'capability_kept',
        names[0] === 'ALL' ? 'keeps all default capabilities' : `keeps capability ${names[0]}`,
      );
    }
  }
  return securitySetting(fields.at(-1) === 'hostProcess' ? 'hostProcess' : setting, before, after);
}

function securitySetting(field: string, before: Json | undefined, after: Json | undefined): Risk | null {
  switch (field) {
    case 'privileged':
      return after === true ? risk('privileged', 'privileged: full access to the node') : null;
    case 'hostProcess':
      return after === true ? risk('privileged', 'runs as a process of the node') : null;
    case 'runAsUser':
      return after === 0 ? risk('runs_as_root', 'runs as root') : null;
    case 'runAsNonRoot':
      return before === true ? risk('may_run_as_root', 'can run as root') : null;
    case 'allowPrivilegeEscalation':
      return after === true || before === false
        ? risk('privilege_escalation', 'processes can gain more privileges than their parent')
        : null;
    case 'readOnlyRootFilesystem':
      return before === true ? risk('writable_root', 'root file system is writable') : null;
    case 'seccompProfile':
      return weakenedProfile(before, after) ? risk('seccomp_off', 'seccomp filter removed') : null;
    case 'appArmorProfile':
      return weakenedProfile(before, after) ? risk('apparmor_off', 'AppArmor profile removed') : null;
    case 'procMount':
      return after === 'Unmasked' ? risk('proc_unmasked', 'can read all of /proc') : null;
    default:
      return null;
  }
}

function weakenedProfile(before: Json | undefined, after: Json | undefined): boolean {
  const isOff = after === undefined || (isJsonObject(after) && after.type === 'Unconfined');
  const wasOff = before !== undefined && isJsonObject(before) && before.type === 'Unconfined';
  return isOff && !wasOff && !(before === undefined && after === undefined);
}

function volumeRisk({ fields, before, after }: LocatedDifference): Risk | null {
  const isEntry = fields.length === 1;
  if (isEntry && isJsonObject(after) && isJsonObject(after.hostPath)) {
    return risk('host_path', `can access ${inlineText(after.hostPath.path)} on the node`);
  }
  if (fields[1] === 'hostPath' && fields[2] === 'path') {
    return risk('host_path', `can access ${inlineText(after)} on the node`);
  }
  if (isEntry && isJsonObject(before) && isJsonObject(before.persistentVolumeClaim)) {
    return risk(
      'claim_removed',
      `the data of claim ${inlineText(before.persistentVolumeClaim.claimName)} is no longer mounted`,
    );
  }
  return fields[1] === 'persistentVolumeClaim' && fields[2] === 'claimName'
    ? risk('claim_changed', `the data of claim ${inlineText(before)} is no longer mounted`)
    : null;
}

function mountRisk(before: Json | undefined, after: Json | undefined): Risk | null {
  const wasReadOnly = isJsonObject(before) && before.readOnly === true;
  return wasReadOnly && isJsonObject(after) && after.readOnly !== true
    ? risk('mount_writable', 'mounted writable')
    : null;
}

function snakeCase(field: string): string {
  return field.replace(/([a-z])([A-Z]+)/g, '$1_$2').toLowerCase();
}

function risk(code: string, reason: string): Risk {
  return { code, reason };
}

const CREDENTIAL =
  /(^|[_.-])(pass(word|wd|phrase)?|pwd|secret|tokens?|credentials?|api[_-]?key|private[_-]?key|access[_-]?key|(secret|signing|encryption|auth)[_-]?key)$/i;
const MARKER = /^\[masked:[0-9a-f]{8}\]$/;

/** Whether this text of an environment variable in the template exposes a credential. */
function isInlineSecret(name: string, value: string): boolean {
  return MARKER.test(value) || (value !== '' && CREDENTIAL.test(name));
}
