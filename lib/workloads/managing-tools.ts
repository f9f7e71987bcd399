import { type ManagingTool } from '@/lib/api/workloads';
import { controllingRolloutOf } from '@/lib/workloads/kruise-rollout-metadata';
import { type Finding } from '@/lib/workloads/plan';
import { formatList } from '@/lib/format/text';
import { type Workload } from '@/lib/history/workload';

/**
 * The Rollout that rolls a workload: `{name}/{uid}`. With an owner reference, its deletion would delete the
 * workload too.
 */
export const CLAIM_ANNOTATION = 'shiplog.dev/oam-rollout';

interface Tool {
  name: string;
  code: 'gitops_owner' | 'helm_owner' | 'rollout_owner';
  labels?: readonly string[];
  annotations?: readonly string[];
  managers?: readonly string[];
  /** How to prevent it from reverting a change made elsewhere. */
  advice: string;
  /** The object's name within the value of the label or annotation. Absent: the value is the name. */
  parseName?: (marker: string) => string;
  /** The same of an object whose name is known. */
  describeNamed?: (name: string, workload: Workload, policy: ArgoSyncPolicy | null) => NamedAdvice | null;
}

interface NamedAdvice {
  message: string;
  advice: string;
  command?: string;
}

/** What Argo CD does by itself after a change of a resource: nothing, sync new commits, or also revert the change. */
export type ArgoSyncPolicy = 'manual' | 'automated' | 'selfHeal';

/**
 * `argocd/shop` of a tracking id such as `argocd_shop:apps/Deployment:shop/cart`, in the form of the command
 * line.
 * https://argo-cd.readthedocs.io/en/stable/user-guide/resource_tracking/
 */
function argoApplicationIn(marker: string): string {
  return (marker.split(':')[0] ?? marker).replace('_', '/');
}

/**
 * A name, with its namespace or without: anybody who writes the object can write its annotations, and only what can be a
 * name becomes part of a command line, a link or a request.
 */
const NAME = /^[a-z0-9]([-a-z0-9.]{0,251}[a-z0-9])?(\/[a-z0-9]([-a-z0-9.]{0,251}[a-z0-9])?)?$/;

function describeArgoApplication(name: string, policy: ArgoSyncPolicy | null): NamedAdvice {
  const command = NAME.test(name) ? { command: `argocd app set ${name} --sync-policy none` } : {};
  const managed = `Managed by Argo CD application ${name}.`;
  const disable = 'Disable auto-sync first, or revert the commit in Git.';
  switch (policy) {
    case 'selfHeal':
      return {
        message: `${managed} Auto-sync with self-heal is on: Argo CD reverts this change within minutes.`,
        advice: disable,
        ...command,
      };
    case 'automated':
      return {
        message: `${managed} Auto-sync is on without self-heal: the next commit or sync reverts this change.`,
        advice: disable,
        ...command,
      };
    case 'manual':
      return {
        message: `${managed} Auto-sync is off: the change stays until the next manual sync.`,
        advice: 'Revert the commit in Git before the next sync.',
      };
    case null:
      return {
        message: `${managed} Its sync policy is unknown: with auto-sync and self-heal, Argo CD reverts this change within minutes.`,
        advice: disable,
        ...command,
      };
  }
}

const FLUX_KINDS = [
  { prefix: 'kustomize.toolkit.fluxcd.io', kind: 'Kustomization' },
  { prefix: 'helm.toolkit.fluxcd.io', kind: 'HelmRelease' },
] as const;

/** The object that a label of Flux names, with its namespace: https://fluxcd.io/flux/components/kustomize/ */
function describeFluxObject(name: string, { labels, namespace }: Workload): NamedAdvice | null {
  const found = FLUX_KINDS.find(({ prefix }) => Object.hasOwn(labels, `${prefix}/name`));
  if (found === undefined) return null;
  const { prefix, kind } = found;
  const at = labels[`${prefix}/namespace`] ?? namespace;
  return {
    message: `Managed by Flux ${kind} ${at}/${name}. Flux reverts this change at the next reconciliation.`,
    advice: `Suspend the ${kind} first, or revert the commit in Git.`,
    ...(NAME.test(name) &&
      NAME.test(at) && { command: `flux suspend ${kind.toLowerCase()} ${name} -n ${at}` }),
  };
}

/** On everything that an Application of KubeVela has created. */
const APPLICATION = 'app.oam.dev/name';

/**
 * Tools that write templates from a description elsewhere, and the labels or annotations that they write to a
 * workload.
 */
const TOOLS: readonly Tool[] = [
  {
    name: 'Argo CD',
    code: 'gitops_owner',
    labels: ['argocd.argoproj.io/instance'],
    annotations: ['argocd.argoproj.io/tracking-id'],
    managers: ['argocd-controller', 'argocd-application-controller'],
    advice: 'Disable auto-sync of its application first, or revert the commit in Git.',
    parseName: argoApplicationIn,
    describeNamed: (name, _workload, policy) => describeArgoApplication(name, policy),
  },
  {
    name: 'Flux',
    code: 'gitops_owner',
    labels: ['kustomize.toolkit.fluxcd.io/name', 'helm.toolkit.fluxcd.io/name'],
    managers: ['kustomize-controller', 'helm-controller'],
    advice: 'Suspend its Kustomization or HelmRelease first, or revert the commit in Git.',
    describeNamed: describeFluxObject,
  },
  {
    name: 'Config Sync',
    code: 'gitops_owner',
    annotations: ['configmanagement.gke.io/managed'],
    managers: ['configsync.gke.io'],
    advice: 'Revert the commit in Git, or stop Config Sync from managing this object first.',
  },
  {
    name: 'Rancher Fleet',
    code: 'gitops_owner',
    annotations: ['objectset.rio.cattle.io/id'],
    managers: ['fleetagent', 'fleet-agent'],
    advice: 'Pause its GitRepo first, or revert the commit in Git.',
  },
  {
    name: 'kapp',
    code: 'gitops_owner',
    labels: ['kapp.k14s.io/app'],
    managers: ['kapp', 'kapp-controller'],
    advice: 'Change the configuration that kapp deploys too.',
  },
  {
    name: 'KubeVela',
    code: 'gitops_owner',
    labels: [APPLICATION],
    managers: ['kubevela', 'vela-core'],
    advice: 'Change the Application too.',
  },
  {
    name: 'Helm',
    code: 'helm_owner',
    annotations: ['meta.helm.sh/release-name'],
    managers: ['helm'],
    advice: 'Roll back the Helm release too, or fix its chart before the next upgrade.',
  },
  {
    name: 'OpenKruise Rollout',
    code: 'rollout_owner',
    managers: ['kruise-rollout'],
    advice: 'Check its current step first.',
  },
];

/**
 * Why a workload must not be written that an Application of KubeVela has created: KubeVela reverts any write
 * within minutes. Null for all others.
 */
export function refuseGenerated({ name, labels }: Pick<Workload, 'name' | 'labels'>): Finding | null {
  const application = Object.hasOwn(labels, APPLICATION) ? labels[APPLICATION] : undefined;
  if (application === undefined || application === '') return null;
  return {
    severity: 'refusal',
    code: 'application_owner',
    message: `KubeVela Application ${application} manages ${name} and reverts any other change.`,
    action: `Roll back Application ${application} instead.`,
  };
}

/**
 * What else writes this template, by the labels and annotations of the workload and its managed fields. `policy` is that
 * of its Argo CD application; null while it is unknown.
 */
export function checkManagingTools(workload: Workload, policy: ArgoSyncPolicy | null = null): Finding[] {
  const writers = workload.writes.filter((write) => write.template);
  const generatedRefusal = refuseGenerated(workload);
  const tools = toolsOf(workload).filter(
    ({ labels }) => generatedRefusal === null || labels?.includes(APPLICATION) !== true,
  );
  const findings: Finding[] = tools.map((tool) => {
    const { name, code } = tool;
    const message =
      code === 'rollout_owner'
        ? `${formatManager(workload, name)} is updating this workload in steps.`
        : `${name} manages this workload and may revert this change the next time it runs.`;
    const named: NamedAdvice = namedAdvice(workload, tool, policy) ?? { message, advice: tool.advice };
    const { command } = named;
    return {
      severity: 'warning',
      code,
      message: named.message,
      action: named.advice,
      ...(command !== undefined && { command }),
    };
  });
  if (generatedRefusal !== null) findings.unshift(generatedRefusal);
  const claim = workload.annotations[CLAIM_ANNOTATION];
  if (claim !== undefined)
    findings.push({
      severity: 'warning',
      code: 'rollout_owner',
      message: `OAM Rollout ${claim.split('/')[0] ?? claim} is updating this workload in batches.`,
      action: 'Check the Rollout first: it scales this workload and its pods.',
    });
  const controller = workload.owners.find((owner) => owner.controller === true);
  if (controller !== undefined) {
    findings.push({
      severity: 'warning',
      code: 'owner_controller',
      message: `${controller.kind} ${controller.name} controls this workload and will probably revert this change.`,
      action: `Change ${controller.kind} ${controller.name} instead.`,
    });
  }
  const known = new Set(TOOLS.flatMap((tool) => tool.managers ?? []));
  const appliers = new Set(
    writers
      .filter((write) => write.operation === 'Apply' && !known.has(write.manager))
      .map((write) => write.manager),
  );
  if (appliers.size > 0) {
    findings.push({
      severity: 'warning',
      code: 'apply_manager',
      message: `${formatList([...appliers])} applies this template (server-side apply). The next apply reverts this change.`,
      action: 'Fix the applied manifest too.',
    });
  }
  if (workload.hasLastApplied) {
    findings.push({
      severity: 'warning',
      code: 'last_applied',
      message:
        'The workload was created with kubectl apply. Applying the same manifest again reverts this change and can leave list entries behind.',
      action: 'Fix the manifest before you apply it again.',
    });
  }
  if (findings.length > 0) return findings;
  return [
    {
      severity: 'passed',
      code: 'no_owner',
      message: 'No GitOps tool, Helm release or controller manages this template.',
      action: null,
    },
  ];
}

/** The owners behind {@link checkOwners}, without those known only from an apply. */
export function managingToolsOf(workload: Workload): ManagingTool[] {
  const owners: ManagingTool[] = toolsOf(workload).map((tool) => ({
    tool: tool.name,
    name: managingObjectOf(workload, tool),
    note: namedAdvice(workload, tool)?.advice ?? tool.advice,
  }));
  const controller = workload.owners.find((owner) => owner.controller === true);
  if (controller === undefined) return owners;
  const note = `Controls this workload and will probably revert a change. Change ${controller.name} instead.`;
  return [...owners, { tool: controller.kind, name: controller.name, note }];
}

function toolsOf(workload: Workload): readonly Tool[] {
  const writers = workload.writes.filter((write) => write.template);
  return TOOLS.filter(
    (tool) =>
      managingObjectOf(workload, tool) !== null ||
      writers.some((write) => tool.managers?.includes(write.manager)),
  );
}

function formatManager(workload: Workload, tool: string): string {
  const rollout = controllingRolloutOf(workload);
  return rollout === null ? tool : `OpenKruise Rollout ${rollout}`;
}

/** `namespace/name` or `name` of the Argo CD application of a workload; null where none is named by a valid name. */
export function argoApplicationOf(workload: Workload): string | null {
  const tool = TOOLS.find(({ name }) => name === 'Argo CD');
  const name = tool && managingObjectOf(workload, tool);
  return name != null && NAME.test(name) ? name : null;
}

function namedAdvice(
  workload: Workload,
  tool: Tool,
  policy: ArgoSyncPolicy | null = null,
): NamedAdvice | null {
  const name = managingObjectOf(workload, tool);
  return name === null ? null : (tool.describeNamed?.(name, workload, policy) ?? null);
}

/** The object that describes the workload there; null where no label or annotation names it. */
function managingObjectOf(workload: Workload, tool: Tool): string | null {
  if (tool.code === 'rollout_owner') return controllingRolloutOf(workload);
  const { labels, annotations } = workload;
  const label = tool.labels?.find((key) => Object.hasOwn(labels, key));
  const annotation = tool.annotations?.find((key) => Object.hasOwn(annotations, key));
  const marker =
    (annotation === undefined ? undefined : annotations[annotation]) ??
    (label === undefined ? undefined : labels[label]);
  return marker === undefined ? null : (tool.parseName?.(marker) ?? marker);
}
