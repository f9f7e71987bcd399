import { useId } from 'react';
import { type RolloutItem } from '@/lib/api/rollouts';

/** A choice of the steps that the rollout can jump to. */
export function JumpField({
  rollout,
  value,
  onChange,
  firstRef,
}: {
  rollout: RolloutItem;
  value: number | null;
  onChange: (step: number) => void;
  firstRef: React.RefObject<HTMLInputElement | null>;
}) {
  const name = useId();
  const targets = rollout.actions.find((action) => action.name === 'jump')?.steps ?? [];
  return (
    <fieldset className="px-6 pt-1 pb-4 max-desk:px-4">
      <legend className="pb-1.5 font-medium">Which step?</legend>
      <div className="grid max-h-[264px] overflow-y-auto rounded-3 border border-line">
        {rollout.steps
          .filter(({ index }) => targets.includes(index))
          .map(({ index, replicas, traffic }, at) => (
            <label
              key={index}
              className="flex min-h-[34px] cursor-pointer items-center gap-2.5 border-b border-hair px-3 last:border-b-0 hover:bg-hover has-checked:bg-selected max-desk:min-h-11"
            >
              <input
                ref={at === 0 ? firstRef : undefined}
                type="radio"
                name={name}
                value={index}
                checked={value === index}
                onChange={() => onChange(index)}
                className="accent-(--accent)"
              />
              <b>Step {index}</b>
              {index === rollout.step.index && <span className="text-ink-3">again</span>}
              <span className="ml-auto text-small text-ink-2">
                {[
                  replicas.planned === null
                    ? replicas.asked
                    : `${replicas.planned.toLocaleString('en')} ${replicas.planned === 1 ? 'pod' : 'pods'}`,
                  traffic.planned?.kind === 'weight' ? `${traffic.planned.percent}% of the traffic` : null,
                ]
                  .filter((part) => part !== null)
                  .join(', ')}
              </span>
            </label>
          ))}
      </div>
    </fieldset>
  );
}
