import { type ActionAnswer } from '@/lib/api/actions';

type Plan = NonNullable<ActionAnswer['plan']>;

/** What will happen, in order, and what does not change. */
export function PlanText({ plan }: { plan: Plan }) {
  return (
    <>
      <h3 className="font-medium">What will happen</h3>
      <ol className="mt-1.5 mb-3.5">
        {plan.steps.map((step, index) => (
          <li
            key={index}
            className="relative pb-[7px] pl-[22px] leading-[19px] text-ink-2 [overflow-wrap:anywhere]"
          >
            <span
              aria-hidden="true"
              className="absolute top-[1.5px] left-0 size-[15px] rounded-full bg-fill text-center text-[10px]/[15px] font-medium"
            >
              {index + 1}
            </span>
            {step}
          </li>
        ))}
      </ol>
      {plan.stays.length > 0 && (
        <>
          <h3 className="font-medium">What stays</h3>
          <p className="mt-1 leading-[19px] text-ink-2 [overflow-wrap:anywhere]">
            {plan.stays.map(asSentence).join(' ')}
          </p>
        </>
      )}
    </>
  );
}

function asSentence(text: string): string {
  return /[.!?]$/.test(text) ? text : `${text}.`;
}
