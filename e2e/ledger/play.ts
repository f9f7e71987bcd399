import { type Scene, type Story } from '@/e2e/ledger/acts';
import { HOUR, type Stage } from '@/e2e/ledger/stage';
import { type Course, Truth } from '@/e2e/ledger/truth';

/** A rollout as it was played. */
export interface Played {
  readonly scene: Scene;
  readonly course: Course;
}

/** One life of the workload of a story, its rollouts in order. */
export interface PlayedLife {
  readonly story: Story;
  readonly rollouts: Played[];
  /** Milliseconds since the epoch; null while it lives. */
  endedAt: number | null;
}

interface Cue {
  readonly at: number;
  readonly happen: () => Promise<void>;
}

/** Something that happens beside the stories, at an hour of the month. */
export interface Aside {
  readonly at: number;
  readonly happen: () => Promise<void>;
}

/** Plays stories side by side up to an hour of the month; resolves to what has happened. */
export async function play(
  stage: Stage,
  stories: readonly Story[],
  asides: readonly Aside[],
  end: number,
): Promise<{ lives: readonly PlayedLife[]; truth: Truth }> {
  const truth = new Truth(stage, stories);
  stage.onMoment = () => truth.look();
  const lives: PlayedLife[] = [];
  const cues: Cue[] = stories.flatMap((story) =>
    story.scenes.flatMap((scene) => cuesOf(stage, truth, lives, story, scene)),
  );
  const inOrder = [...cues, ...asides].filter(({ at }) => at < end).sort((a, b) => a.at - b.at);
  for (const { at, happen } of inOrder) {
    await stage.passUntil(at * HOUR);
    await happen();
  }
  await stage.passUntil(end * HOUR);
  return { lives, truth };
}

function cuesOf(stage: Stage, truth: Truth, lives: PlayedLife[], story: Story, scene: Scene): Cue[] {
  const { at, act, rollout } = scene;
  const present = () => lives.findLast((life) => life.story === story);
  const begin = () => {
    if (rollout !== null) present()?.rollouts.push({ scene, course: truth.begin(story) });
  };
  const happen = async () => {
    if (scene.isBirth === true) lives.push({ story, rollouts: [], endedAt: null });
    const life = present();
    if (scene.isEnd === true && life !== undefined) life.endedAt = stage.clock.now();
    if (rollout?.begins === undefined) begin();
    await act(stage, story);
  };
  if (rollout?.begins === undefined) return [{ at, happen }];
  // Sorted after whatever makes it begin, it must still come in the same moment.
  return [
    { at, happen },
    { at: rollout.begins, happen: () => Promise.resolve(begin()) },
  ];
}
