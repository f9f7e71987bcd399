/**
 * Lets the process go on when nobody reads what it prints any more (`npm start | head`): the line is lost. Otherwise a
 * failed write is an uncaught error, which Next prints, which fails again, without end.
 */
export function outliveReaders(): void {
  for (const stream of [process.stdout, process.stderr]) stream.on('error', () => undefined);
}
