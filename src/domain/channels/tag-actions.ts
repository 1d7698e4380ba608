/** Actions of `gateway channel tag` on all channels of a tag. */
export const TAG_ACTIONS = ['set', 'unset', 'rename', 'on', 'off', 'priority', 'weight'] as const;
export type TagAction = (typeof TAG_ACTIONS)[number];
