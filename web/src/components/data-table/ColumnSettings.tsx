import { Checkbox, Divider, Group, Popover, SegmentedControl, Stack } from '@mantine/core';
import { IconChevronDown, IconChevronUp, IconColumns3 } from '@tabler/icons-react';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { STORED, storedColumns, useStored } from '../../lib/browser/stored.ts';
import { Dimmed } from '../display/Dimmed.tsx';
import { SideButton } from '../display/SideButton.tsx';
import { ToolButton } from '../display/ToolButton.tsx';
import { Popup } from '../layout/Popup.tsx';
import { useColumnChoice } from './column-choice.ts';
import { type Column, chosenColumns } from './columns.ts';

interface ColumnSettingsProps<T> {
  readonly id: string;
  readonly columns: readonly Column<T>[];
}

/** The visible columns of a table, their order and its density; stored per table. */
export function ColumnSettings<T>({ id, columns }: ColumnSettingsProps<T>) {
  const { t } = useTranslation();
  const [isOpen, setOpen] = useState(false);
  const { choice, setChoice } = useColumnChoice(id, columns);
  const ordered = chosenColumns(columns, { ...choice, hidden: [] }).filter(
    ({ isFixed }) => !isFixed,
  );
  const toggle = (key: string, isShown: boolean) =>
    setChoice({
      ...choice,
      hidden: isShown ? choice.hidden.filter((one) => one !== key) : [...choice.hidden, key],
    });
  const move = (key: string, step: number) => {
    const order = chosenColumns(columns, { ...choice, hidden: [] }).map((column) => column.key);
    const from = order.indexOf(key);
    order.splice(from, 1);
    order.splice(Math.max(0, from + step), 0, key);
    setChoice({ ...choice, order });
  };
  return (
    <Popup isOpen={isOpen} onClose={() => setOpen(false)} width={280}>
      <Popover.Target>
        <ToolButton
          variant="default"
          label={t('part.columns.title')}
          onClick={() => setOpen(!isOpen)}
          icon={IconColumns3}
        />
      </Popover.Target>
      <Popover.Dropdown aria-label={t('part.columns.title')}>
        <Stack gap={6}>
          <Density />
          <Divider my={4} />
          {ordered.map(({ key, title }, index) => (
            <Group key={key} gap={2} wrap="nowrap">
              <Checkbox
                size="xs"
                label={title}
                checked={!choice.hidden.includes(key)}
                onChange={(event) => toggle(key, event.currentTarget.checked)}
                flex={1}
              />
              <ToolButton
                size={24}
                label={t('part.columns.up', { column: title })}
                disabled={index === 0}
                onClick={() => move(key, -1)}
                icon={IconChevronUp}
                iconSize={14}
              />
              <ToolButton
                size={24}
                label={t('part.columns.down', { column: title })}
                disabled={index === ordered.length - 1}
                onClick={() => move(key, 1)}
                icon={IconChevronDown}
                iconSize={14}
              />
            </Group>
          ))}
          <Divider my={4} />
          <Group gap={6}>
            <SideButton
              size="compact-xs"
              label={t('part.columns.all')}
              onClick={() => setChoice({ ...choice, hidden: [] })}
            />
            <SideButton
              size="compact-xs"
              label={t('part.columns.reset')}
              onClick={() => storedColumns(id).clear()}
            />
            <Dimmed ml="auto">
              {ordered.length - choice.hidden.length} / {ordered.length}
            </Dimmed>
          </Group>
        </Stack>
      </Popover.Dropdown>
    </Popup>
  );
}

function Density() {
  const { t } = useTranslation();
  const [density, setDensity] = useStored(STORED.tableDensity);
  return (
    <SegmentedControl
      size="xs"
      fullWidth
      aria-label={t('part.columns.density')}
      value={density}
      onChange={(value) => setDensity(value as typeof density)} // one of the two below
      data={[
        { value: 'comfortable', label: t('part.columns.comfortable') },
        { value: 'compact', label: t('part.columns.compact') },
      ]}
    />
  );
}
