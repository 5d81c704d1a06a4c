// Days and months as English writes them, as parts of patterns: alternatives without a group around them.

export const WEEKDAYS = 'Monday|Tuesday|Wednesday|Thursday|Friday|Saturday|Sunday';
export const MONTHS = 'January|February|March|April|May|June|July|August|September|October|November|December';
