/** Mean width of a letter of the 11 px text of the drawing. */
const LETTER_WIDTH = 5.7;

/** Approximate width of a text of the drawing, in pixels. */
export function textWidth(text: string): number {
  return text.length * LETTER_WIDTH;
}
