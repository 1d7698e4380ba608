/** What `gateway channel tag` does to all channels of a tag at once. */
export const TAG_ACTIONS = ['set', 'unset', 'rename', 'on', 'off', 'priority', 'weight'] as const;
export type TagAction = (typeof TAG_ACTIONS)[number];
