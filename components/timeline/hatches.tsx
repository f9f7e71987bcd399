/** Ids of the patterns of one drawing; several drawings may be on a page. */
export interface HatchIds {
  unknown: string;
  unready: string;
  starting: string;
  arrow: string;
}

export function hatchIds(id: string): HatchIds {
  const base = `timeline${id.replaceAll(/[^\w-]/g, '')}`;
  return {
    unknown: `${base}-unknown`,
    unready: `${base}-unready`,
    starting: `${base}-starting`,
    arrow: `${base}-arrow`,
  };
}

/** The patterns, and the head of a rollback's arrow. */
export function Hatches({ ids }: { ids: HatchIds }) {
  return (
    <defs>
      <Hatch id={ids.unknown} size={6} stroke="var(--hatch)" width={1.4} />
      <Hatch id={ids.unready} size={4} stroke="var(--stuck)" width={1.3} />
      <Hatch id={ids.starting} size={4} stroke="var(--rev-target)" width={1.3} />
      <marker
        id={ids.arrow}
        viewBox="0 0 8 8"
        refX="6.4"
        refY="4"
        markerWidth="7"
        markerHeight="7"
        orient="auto"
      >
        <path
          d="M1.2 .8 7 4 1.2 7.2"
          fill="none"
          stroke="var(--back)"
          strokeWidth="1.6"
          strokeLinecap="round"
          strokeLinejoin="round"
        />
      </marker>
    </defs>
  );
}

function Hatch({ id, size, stroke, width }: { id: string; size: number; stroke: string; width: number }) {
  return (
    <pattern id={id} width={size} height={size} patternUnits="userSpaceOnUse" patternTransform="rotate(45)">
      <path d={`M0 0V${size}`} stroke={stroke} strokeWidth={width} />
    </pattern>
  );
}
