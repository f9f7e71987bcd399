/** Color and label of a verdict. */
export const verdictTags = {
  good: { tone: 'good', word: 'Good' },
  bad: { tone: 'bad', word: 'Bad' },
  followUp: { tone: 'held', word: 'Follow-up' },
} as const;
