import { Table } from '@mantine/core';
import type { ReactNode } from 'react';
import { useIsPhone } from '../../lib/display/screen.ts';
import classes from './Pricing.module.css';

interface NamedRowProps {
  readonly name: ReactNode;
  /** How many columns the figures take. */
  readonly columns: number;
  /** The cells of the figures. */
  readonly children: ReactNode;
}

/** A row whose name is a cell before the figures, or on a phone a line above them. */
export function NamedRow({ name, columns, children }: NamedRowProps) {
  const isPhone = useIsPhone();
  if (!isPhone)
    return (
      <Table.Tr>
        <Table.Td className={classes.rowName ?? ''}>{name}</Table.Td>
        {children}
      </Table.Tr>
    );
  return (
    <>
      <Table.Tr className={classes.nameLine ?? ''}>
        <Table.Td colSpan={columns}>{name}</Table.Td>
      </Table.Tr>
      <Table.Tr>{children}</Table.Tr>
    </>
  );
}
