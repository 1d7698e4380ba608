import { Stack, Text, type TextProps } from '@mantine/core';
import type { ReactNode } from 'react';
import { Dimmed } from './Dimmed.tsx';

interface FactProps extends TextProps {
  readonly name: string;
  readonly children: ReactNode;
}

/** An entry of a `dl`: its name above it. */
export function Fact({ name, children, ...text }: FactProps) {
  return (
    <Stack gap={0} miw={0} maw="100%">
      <Dimmed component="dt">{name}</Dimmed>
      <Text component="dd" m={0} {...text}>
        {children}
      </Text>
    </Stack>
  );
}
