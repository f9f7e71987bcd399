import { type ServerResponse } from 'node:http';

/** Aborts a response after so many bytes of its body, and breaks the connection. */
export function breakOffAfter(response: ServerResponse, bytes: number): void {
  let left = bytes;
  const write = response.write.bind(response) as (chunk: Buffer, done: () => void) => boolean;
  const cut = (chunk: unknown): boolean => {
    if (chunk === undefined || chunk === null || typeof chunk === 'function') {
      response.destroy();
      return false;
    }
    const whole = typeof chunk === 'string' ? Buffer.from(chunk) : (chunk as Buffer);
    const part = whole.subarray(0, left);
    left -= part.length;
    return write(part, () => {
      if (left <= 0) response.destroy();
    });
  };
  response.write = cut as ServerResponse['write'];
  response.end = ((chunk: unknown) => {
    cut(chunk);
    if (left > 0) response.destroy();
    return response;
  }) as ServerResponse['end'];
}
