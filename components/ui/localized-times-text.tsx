import { AbsoluteTime } from '@/components/ui/time';

/** A time in the format of the server's sentences: "2026-11-21 11:40:10 UTC". */
const TIME = /\d{4}-\d{2}-\d{2} \d{2}:\d{2}(?::\d{2})? UTC/g;

/** A sentence whose times are in the format of the page and in the viewer's time zone. */
export function LocalizedTimesText({ text }: { text: string }) {
  const times = text.match(TIME) ?? [];
  return text.split(TIME).map((part, index) => {
    const time = times[index];
    return (
      <span key={index}>
        {part}
        {time !== undefined && <AbsoluteTime iso={isoOf(time)} />}
      </span>
    );
  });
}

function isoOf(time: string): string {
  return time.replace(' UTC', 'Z').replace(' ', 'T');
}
