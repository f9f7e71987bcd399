import { type Agent, request } from 'undici';
import { durationMs } from '@/bench/statistics';

const ROUNDS = 500;
const WARM_UP = 50;

/** One request after the other over one connection: how long each took, and how many bytes the last one brought. */
export async function askInTurn(
  agent: Agent,
  urlOf: (round: number) => string,
): Promise<{ durations: number[]; bytes: number }> {
  const durations: number[] = [];
  let bytes = 0;
  for (let round = -WARM_UP; round < ROUNDS; round += 1) {
    const duration = await durationMs(async () => {
      const headers = { 'accept-encoding': 'gzip' };
      const answer = await request(urlOf(round + WARM_UP), { dispatcher: agent, headers });
      bytes = (await answer.body.arrayBuffer()).byteLength;
      if (answer.statusCode !== 200) throw new Error(`${urlOf(round)} answered ${answer.statusCode}.`);
    });
    if (round >= 0) durations.push(duration);
  }
  return { durations, bytes };
}
