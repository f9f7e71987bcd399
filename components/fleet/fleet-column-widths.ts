/** The width that a row has. */
export type FleetWidth = 'full' | 'wide' | 'narrow' | 'phone';

/** Column widths; a phone has rows of lines instead. */
export const columnWidths: Record<FleetWidth, readonly string[]> = {
  full: ['15%', '26%', '12.5%', '11.5%', '6%', '5.5%', '5.5%', '9.5%', '8.5%'],
  wide: ['17%', '27%', '17%', '8%', '8%', '12%', '11%'],
  narrow: ['23%', '32%', '24%', '11%', '10%'],
  phone: ['23%', '32%', '20%', '8%', '8%', '9%'],
};
