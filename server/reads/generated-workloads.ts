import 'server-only';
import type { Answer } from '@/lib/api/common';
import type { componentItemSchema, workloadDetailSchema } from '@/lib/api/workloads';
import type { ComponentState } from '@/lib/workloads/kind';
import { kindLabel } from '@/lib/kube/resource';
import type { Workload } from '@/lib/history/workload';
import type { ReadContext } from '@/server/views/context';
import { generatorOf } from '@/server/reads/generator';
import { can } from '@/server/views/rights';
import { readRights } from '@/server/views/view-rights';
import { rolloutOf } from '@/server/views/find-rollout';
import type { WorkloadView } from '@/server/views/workload-view';
import type { Viewer } from '@/server/shared/viewer';

const WORKLOADS_MAX = 100;

/** The generator of a workload and what a workload generated, as far as the viewer can see them. */
export async function compositionOf(
  context: ReadContext,
  viewer: Viewer,
  view: WorkloadView,
): Promise<Pick<Answer<typeof workloadDetailSchema>['workload'], 'components' | 'generator'>> {
  const described = view.kind.generator?.components(view);
  const [components, generator] = await Promise.all([
    described && Promise.all(described.map((component) => componentItem(context, viewer, component))),
    generatorOf(context, viewer, view.workload),
  ]);
  return { ...(components && { components }), ...(generator && { generator }) };
}

async function componentItem(
  context: ReadContext,
  viewer: Viewer,
  { message, workloads, ...facts }: ComponentState,
): Promise<Answer<typeof componentItemSchema>> {
  const shown = await Promise.all(
    workloads.slice(0, WORKLOADS_MAX).map((workload) => generatedItem(context, viewer, workload)),
  );
  const visible = shown.flatMap((item) => item ?? []);
  return {
    ...facts,
    message: context.keys.mask.text(message),
    workloads: visible,
    hidden: workloads.length - visible.length,
  };
}

async function generatedItem(
  context: ReadContext,
  viewer: Viewer,
  generated: Workload,
): Promise<Answer<typeof componentItemSchema>['workloads'][number] | null> {
  const { cluster, views } = context;
  const kind = cluster.cache.kindOf(generated.resource);
  const { namespace, name } = generated;
  if (kind === undefined || !(await can(cluster, viewer, 'get', kind.resource, namespace, { name })))
    return null;
  const rights = await readRights(cluster, viewer, namespace);
  const { resource, state, message } = views.item(generated, rights);
  const rollout = await rolloutOf(context, viewer, generated);
  return { resource, kind: kindLabel(kind.resource), namespace, name, state, message, rollout };
}
