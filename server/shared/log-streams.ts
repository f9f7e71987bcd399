/**
 * Lets the process continue when its output has no reader any more (`npm start | head`): the line is lost.
 * Otherwise a failed write is an uncaught error, which Next prints, which fails again, without end.
 */
export function ignoreBrokenPipes(): void {
  for (const stream of [process.stdout, process.stderr]) stream.on('error', () => undefined);
}
