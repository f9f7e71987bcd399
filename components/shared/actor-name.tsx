import type { RolloutSummary } from '@/lib/api/records';
import { toolOf } from '@/lib/view/tool';

/** Who began a rollout, and the tool: "maja.lind via Argo CD", "via kubectl" where only the tool is known. */
export function ActorName({ actor }: { actor: RolloutSummary['actor'] }) {
  if (actor === null) return <span className="text-ink-3">Unknown</span>;
  const tool = actor.source === 'shiplog' ? 'Shiplog' : toolOf(actor.manager ?? actor.name);
  if (actor.name === actor.manager || actor.name === tool) {
    return (
      <>
        <span className="text-ink-3">via</span> {tool}
      </>
    );
  }
  return (
    <>
      {actor.name} <span className="text-ink-3">via {tool}</span>
    </>
  );
}
