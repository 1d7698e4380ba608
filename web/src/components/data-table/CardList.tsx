import {
  ActionIcon,
  Card,
  Checkbox,
  Collapse,
  Group,
  SimpleGrid,
  Stack,
  Text,
} from '@mantine/core';
import { IconChevronDown } from '@tabler/icons-react';
import { type ReactNode, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { Dimmed } from '../display/Dimmed.tsx';
import classes from './CardList.module.css';
import type { Column, DataTableProps } from './columns.ts';
import { RowActions } from './RowActions.tsx';

const MAX_VALUES = 4;

/** A table's rows as cards, for narrow screens. Same data, same actions. */
export function CardList<T>(props: DataTableProps<T>) {
  const { rows = [], rowId, label } = props;
  return (
    <Stack gap="xs" role="list" aria-label={label}>
      {rows.map((row) => (
        <RowCard key={rowId(row)} row={row} {...props} />
      ))}
    </Stack>
  );
}

function RowCard<T>(props: DataTableProps<T> & { readonly row: T }) {
  const { row, rowId, columns, actions, detail, onRow, isMuted, mark, selected, onSelect } = props;
  const { t } = useTranslation();
  const [isOpen, setOpen] = useState(false);
  const id = rowId(row);
  const select = (isChosen: boolean) => {
    const next = new Set(selected);
    if (isChosen) next.add(id);
    else next.delete(id);
    onSelect?.(next);
  };
  const own = actions?.(row) ?? [];
  return (
    <Card
      role="listitem"
      padding="sm"
      className={classes.card}
      data-muted={isMuted?.(row) || undefined}
      data-mark={mark?.(row)}
      data-chosen={selected?.has(id) || undefined}
    >
      <Group wrap="nowrap">
        {onSelect && (
          <Checkbox
            checked={selected?.has(id) ?? false}
            aria-label={t('part.table.select')}
            onChange={(event) => select(event.currentTarget.checked)}
          />
        )}
        <Title row={row} columns={columns} {...(onRow && { onRow })} />
        {inSlot(columns, 'status').map(({ key, render }) => (
          <span key={key}>{render(row)}</span>
        ))}
        {detail && (
          <ActionIcon
            size={36}
            aria-expanded={isOpen}
            aria-label={t('part.table.detail')}
            onClick={() => setOpen(!isOpen)}
          >
            <IconChevronDown
              size={16}
              className={classes.chevron}
              data-open={isOpen || undefined}
            />
          </ActionIcon>
        )}
        {own.length > 0 && <RowActions actions={own} id={id} isFolded />}
      </Group>
      <SimpleGrid cols={2} spacing="xs" verticalSpacing={6} mt="xs">
        {inSlot(columns, 'value')
          .map(({ key, title, render }) => ({ key, title, content: render(row) }))
          .filter(({ content }) => !isBlank(content))
          .slice(0, MAX_VALUES)
          .map(({ key, title, content }) => (
            <Value key={key} title={title}>
              {content}
            </Value>
          ))}
      </SimpleGrid>
      {detail && <Collapse expanded={isOpen}>{isOpen && detail(row)}</Collapse>}
    </Card>
  );
}

interface TitleProps<T> {
  readonly row: T;
  readonly columns: readonly Column<T>[];
  readonly onRow?: (row: T) => void;
}

function Title<T>({ row, columns, onRow }: TitleProps<T>) {
  const title = inSlot(columns, 'title').map(({ key, render }) => (
    <span key={key}>{render(row)}</span>
  ));
  if (onRow === undefined) return <div className={classes.title}>{title}</div>;
  return (
    // biome-ignore lint/a11y/useSemanticElements: the title may contain buttons, which a button may not
    <div
      role="button"
      tabIndex={0}
      className={classes.title}
      onClick={() => onRow(row)}
      onKeyDown={(event) => {
        if (event.key === 'Enter' && event.target === event.currentTarget) onRow(row);
      }}
    >
      {title}
    </div>
  );
}

function Value({ title, children }: { readonly title: string; readonly children: ReactNode }) {
  return (
    <div className={classes.value}>
      <Dimmed>{title}</Dimmed>
      <Text component="div" className={classes.text}>
        {children}
      </Text>
    </div>
  );
}

/** Whether React renders nothing for the content. */
function isBlank(content: ReactNode): boolean {
  return content === null || content === undefined || content === false || content === '';
}

function inSlot<T>(columns: readonly Column<T>[], slot: 'title' | 'status' | 'value'): Column<T>[] {
  return columns.filter(({ card = 'value' }) => card === slot);
}
