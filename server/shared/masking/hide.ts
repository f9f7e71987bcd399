/** The placeholder for a value. */
export type Hide = (value: string) => string;

export const MARKER = /\[masked:[0-9a-f]{8}\]/;
const WHOLE_MARKER = /^\[masked:[0-9a-f]{8}\]$/;

/** The placeholder for it, unless it is one, or nothing. */
export function hideWhole(value: string, hide: Hide): string {
  return value === '' || WHOLE_MARKER.test(value) ? value : hide(value);
}
