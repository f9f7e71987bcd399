import Link from 'next/link';

/** The logo: two lanes, and the way back from the upper to the lower one. */
export function Brand() {
  return (
    <Link
      href="/"
      aria-label="Shiplog, go to Workloads"
      className="mr-2.5 flex flex-none items-center gap-2 text-lead font-semibold tracking-[-0.02em]"
    >
      <svg
        viewBox="0 0 18 18"
        aria-hidden="true"
        className="size-[18px] fill-none stroke-current stroke-[1.9] [stroke-linecap:round]"
      >
        <path d="M2 14.5h5.2M10.2 9h5.8M10.2 9c-3 0-3 5.5 0 5.5H16" />
        <path d="M6 3.5h10" className="stroke-accent" />
      </svg>
      Shiplog
    </Link>
  );
}
