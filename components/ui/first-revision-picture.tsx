/** A picture of a first revision and a slot for the next: for a history with a single revision. */
export function FirstRevisionPicture() {
  return (
    <svg width="150" height="52" viewBox="0 0 150 52" aria-hidden="true">
      <path d="M0 12.5H150M0 26.5H150M0 40.5H150" stroke="var(--line)" />
      <rect x="0" y="34" width="64" height="12" rx="1.5" fill="var(--rev-past)" />
      <path d="M64.5 40V26" stroke="var(--control)" />
      <rect x="64" y="20" width="52" height="12" rx="1.5" fill="var(--rev-past)" />
      <path d="M116.5 26V12" stroke="var(--control)" strokeDasharray="2 3" />
    </svg>
  );
}
