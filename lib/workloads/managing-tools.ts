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
  /** How to prevent it from undoing a change made elsewhere. */
  advice: string;
  /** The object's name within the value of the label or annotation. Absent: the value is the name. */
  parseName?: (marker: string) => string;
  /** The same of an object whose name is known. */
  describeNamed?: (name: string) => { message: string; advice: string };
}

/**
 * `argocd/shop` of a tracking id such as `argocd_shop:apps/Deployment:shop/cart`, in the form of the command
 * line.
 * https://argo-cd.readthedocs.io/en/stable/user-guide/resource_tracking/
 */
function argoApplicationIn(marker: string): string {
  return (marker.split(':')[0] ?? marker).replace('_', '/');
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
    advice: 'Change the source that Argo CD reads, or switch its automatic sync off first.',
    parseName: argoApplicationIn,
    describeNamed: (name) => ({
      message: `Argo CD Application ${name} manages this workload. If its automatic sync heals by itself, it reverts the change within minutes.`,
      advice: `Switch automatic sync off first (argocd app set ${name} --sync-policy none), or revert the commit in Git.`,
    }),
  },
  {
    name: 'Flux',
    code: 'gitops_owner',
    labels: ['kustomize.toolkit.fluxcd.io/name', 'helm.toolkit.fluxcd.io/name'],
    managers: ['kustomize-controller', 'helm-controller'],
    advice: 'Change the source that Flux reads, or suspend its Kustomization or HelmRelease first.',
  },
  {
    name: 'Config Sync',
    code: 'gitops_owner',
    annotations: ['configmanagement.gke.io/managed'],
    managers: ['configsync.gke.io'],
    advice: 'Change the source that Config Sync reads, or stop its management first.',
  },
  {
    name: 'Rancher Fleet',
    code: 'gitops_owner',
    annotations: ['objectset.rio.cattle.io/id'],
    managers: ['fleetagent', 'fleet-agent'],
    advice: 'Change the repository that Fleet reads, or pause its GitRepo first.',
  },
  {
    name: 'kapp',
    code: 'gitops_owner',
    labels: ['kapp.k14s.io/app'],
    managers: ['kapp', 'kapp-controller'],
    advice: 'Change what kapp deploys as well.',
  },
  {
    name: 'KubeVela',
    code: 'gitops_owner',
    labels: [APPLICATION],
    managers: ['kubevela', 'vela-core'],
    advice: 'Change the Application as well.',
  },
  {
    name: 'Helm',
    code: 'helm_owner',
    annotations: ['meta.helm.sh/release-name'],
    managers: ['helm'],
    advice: 'Roll the Helm release back as well, or correct its chart before the next upgrade.',
  },
  {
    name: 'OpenKruise Rollout',
    code: 'rollout_owner',
    managers: ['kruise-rollout'],
    advice: 'Look at the Rollout first: it steers this workload step by step.',
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
    message: `Application ${application} of KubeVela makes ${name}, and takes back whatever else is written into it.`,
    action: `Roll back Application ${application} instead.`,
  };
}

/** Who else writes this template, by the labels and annotations of the workload and its managed fields. */
export function checkManagingTools(workload: Workload): Finding[] {
  const writers = workload.writes.filter((write) => write.template);
  const generatedRefusal = refuseGenerated(workload);
  const tools = toolsOf(workload).filter(
    ({ labels }) => generatedRefusal === null || labels?.includes(APPLICATION) !== true,
  );
  const findings: Finding[] = tools.map((tool) => {
    const { name, code } = tool;
    const message =
      code === 'rollout_owner'
        ? `${formatManager(workload, name)} moves this workload step by step now.`
        : `${name} manages this workload and may undo the change the next time it runs.`;
    const named = namedAdvice(workload, tool) ?? { message, advice: tool.advice };
    return { severity: 'warning', code, message: named.message, action: named.advice };
  });
  if (generatedRefusal !== null) findings.unshift(generatedRefusal);
  const claim = workload.annotations[CLAIM_ANNOTATION];
  if (claim !== undefined)
    findings.push({
      severity: 'warning',
      code: 'rollout_owner',
      message: `Rollout ${claim.split('/')[0] ?? claim} of OAM moves this workload batch by batch now.`,
      action: 'Look at the Rollout first: it scales this workload, or lets its pods go on.',
    });
  const controller = workload.owners.find((owner) => owner.controller === true);
  if (controller !== undefined) {
    findings.push({
      severity: 'warning',
      code: 'owner_controller',
      message: `${controller.kind} ${controller.name} controls this workload and will probably undo the change.`,
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
      message: `The template is applied by ${formatList([...appliers])} (server-side apply); the next apply writes its version again.`,
      action: 'Correct the manifest that is applied as well.',
    });
  }
  if (workload.hasLastApplied) {
    findings.push({
      severity: 'warning',
      code: 'last_applied',
      message:
        'The workload was last written by kubectl apply, whose record is not rolled back; the next apply of the same manifest brings the change back and may leave list entries behind.',
      action: 'Correct the manifest before it is applied again.',
    });
  }
  if (findings.length > 0) return findings;
  return [
    {
      severity: 'passed',
      code: 'no_owner',
      message: 'No GitOps tool, Helm, controller or apply is seen to write this template.',
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
  const note = `It controls this workload and will probably undo a change. Change ${controller.name} instead.`;
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
  return rollout === null ? tool : `Rollout ${rollout} of OpenKruise`;
}

function namedAdvice(workload: Workload, tool: Tool): { message: string; advice: string } | null {
  const name = managingObjectOf(workload, tool);
  return name === null ? null : (tool.describeNamed?.(name) ?? null);
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
