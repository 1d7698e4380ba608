import { Text, type TextProps } from '@mantine/core';
import type { ReactNode } from 'react';
import { Dimmed } from './Dimmed.tsx';

interface FigureProps extends TextProps {
  readonly label: string;
  readonly children: ReactNode;
}

/** A value below its name; the other props are those of the value. */
export function Figure({ label, children, ...value }: FigureProps) {
  return (
    <div style={{ minWidth: 0 }}>
      <Dimmed>{label}</Dimmed>
      <Text size="md" component="div" {...value}>
        {children}
      </Text>
    </div>
  );
}
