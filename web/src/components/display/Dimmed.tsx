import { Text } from '@mantine/core';

/** Secondary text: small, in the colour of what is less important. */
export const Dimmed = Text.withProps({ size: 'xs', c: 'dimmed' });
