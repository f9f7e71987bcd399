import { AppError } from '@/lib/errors';

/** An object may have 1.5 MB in etcd and grow in JSON; a longer line is not a watch event. */
const LINE_BYTES_MAX = 32 * 1024 * 1024;
const NEWLINE = 0x0a;

/**
 * Lines of a byte stream, without their end; an unfinished last line is dropped, since half an event is none.
 * Characters that span two chunks survive.
 */
export async function* splitLines(
  chunks: AsyncIterable<Uint8Array>,
  lineBytesMax = LINE_BYTES_MAX,
): AsyncGenerator<string> {
  let pending: Uint8Array[] = [];
  let pendingBytes = 0;
  for await (const chunk of chunks) {
    let start = 0;
    for (let end = chunk.indexOf(NEWLINE); end !== -1; end = chunk.indexOf(NEWLINE, start)) {
      const line = Buffer.concat([...pending, chunk.subarray(start, end)])
        .toString('utf8')
        .trim();
      pending = [];
      pendingBytes = 0;
      start = end + 1;
      if (line !== '') yield line;
    }
    if (start === chunk.length) continue;
    pending.push(chunk.subarray(start));
    pendingBytes += chunk.length - start;
    if (pendingBytes > lineBytesMax) {
      throw new AppError('too_large', `A watch sent a line of more than ${lineBytesMax} bytes.`);
    }
  }
}
