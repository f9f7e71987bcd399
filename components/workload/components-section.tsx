import { Glyph } from '@/components/ui/glyph';
import { TextLink } from '@/components/ui/link';
import { SectionHead } from '@/components/ui/section-head';
import { StateLabel } from '@/components/shared/state-label';
import type { ComponentItem } from '@/lib/api/workloads';
import { rolloutPagePath } from '@/components/queries/rollouts';
import { workloadPagePath } from '@/components/queries/workload-ref';
import { formatCount } from '@/lib/format/text';

/** The components of an Application: each with its health, the workloads that it generated, and their rollouts. */
export function ComponentsSection({
  cluster,
  components,
}: {
  cluster: string;
  components: readonly ComponentItem[];
}) {
  return (
    <section aria-labelledby="components" className="pt-[22px]">
      <SectionHead
        id="components"
        title="Components"
        remark="KubeVela creates workloads from each component."
        className="mb-2"
      />
      {components.length === 0 ? (
        <p className="border-t border-line pt-2 text-small text-ink-3">No components.</p>
      ) : (
        <ul className="border-t border-line">
          {components.map((component) => (
            <Component key={component.name} cluster={cluster} component={component} />
          ))}
        </ul>
      )}
    </section>
  );
}

function Component({ cluster, component }: { cluster: string; component: ComponentItem }) {
  const { name, type, message, workloads, hidden } = component;
  return (
    <li className="grid grid-cols-[minmax(140px,260px)_minmax(140px,240px)_minmax(0,1fr)] gap-x-4 gap-y-1 border-b border-hair py-2 text-small max-desk:grid-cols-1">
      <span className="min-w-0 [overflow-wrap:anywhere]">
        <b className="literal font-medium">{name === '' ? 'No component' : name}</b>
        {type !== '' && <span className="text-ink-3"> {type}</span>}
      </span>
      <span className="flex min-w-0 items-start gap-1.5">
        <Health component={component} />
        {message !== null && <span className="text-ink-3 [overflow-wrap:anywhere]">{message}</span>}
      </span>
      <ul className="grid min-w-0 gap-y-1">
        {workloads.map((workload) => (
          <GeneratedWorkload
            key={`${workload.resource} ${workload.name}`}
            cluster={cluster}
            workload={workload}
          />
        ))}
        {hidden > 0 && (
          <li className="text-ink-3">
            {formatCount(hidden, 'workload')} not shown: you are not allowed to see them, or they are beyond
            the first 100
          </li>
        )}
        {workloads.length + hidden === 0 && <li className="text-ink-3">No workloads in this namespace</li>}
      </ul>
    </li>
  );
}

function Health({ component: { healthy } }: { component: ComponentItem }) {
  if (healthy === null) return <span className="text-ink-3">Health unknown</span>;
  return healthy ? (
    <span className="inline-flex items-center gap-1.5">
      <Glyph name="complete" size={13} className="text-complete" /> Healthy
    </span>
  ) : (
    <span className="inline-flex items-center gap-1.5 text-degraded">
      <Glyph name="degraded" size={13} /> Unhealthy
    </span>
  );
}

function GeneratedWorkload({
  cluster,
  workload,
}: {
  cluster: string;
  workload: ComponentItem['workloads'][number];
}) {
  const { kind, name, state, message, rollout } = workload;
  return (
    <li className="flex min-w-0 flex-wrap items-center gap-x-2.5 gap-y-0.5">
      <TextLink href={workloadPagePath({ cluster, ...workload })} className="[overflow-wrap:anywhere]">
        {kind} {name}
      </TextLink>
      <StateLabel state={state} />
      <span className="text-ink-3 [overflow-wrap:anywhere]">{message}</span>
      {rollout && (
        <TextLink href={rolloutPagePath({ cluster, ...rollout })} className="[overflow-wrap:anywhere]">
          Rollout {rollout.name}
        </TextLink>
      )}
    </li>
  );
}
