import { Checkbox, NumberInput, Table, TextInput } from '@mantine/core';
import { IconPlus, IconTrash } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { Budgets } from '../../../components/budgets/Budgets.tsx';
import { SideButton } from '../../../components/display/SideButton.tsx';
import { ToolButton } from '../../../components/display/ToolButton.tsx';
import { groupKeys } from '../../../lib/api/query-keys.ts';
import { groupsApi } from '../calls.ts';
import { OptionViews } from '../fields/OptionViews.tsx';
import classes from '../Settings.module.css';
import { useSettings } from '../sections/settings-store.ts';
import { OPERATION_SECTIONS } from '../sections/tabs.ts';
import { type GroupRow, groupRows, groupTexts } from './group-rows.ts';

/** Groups as one table; the two options behind it can also be edited as JSON. */
export function GroupsEditor() {
  const { text, errors } = useSettings();
  const rows = groupRows({
    GroupRatio: text('GroupRatio'),
    UserUsableGroups: text('UserUsableGroups'),
  });
  return (
    <OptionViews
      keys={OPERATION_SECTIONS.groups}
      problem={errors.GroupRatio ?? errors.UserUsableGroups}
      table={
        rows && (
          <>
            <GroupTable rows={rows} />
            <Budgets subject="group" />
          </>
        )
      }
    />
  );
}

function GroupTable({ rows }: { readonly rows: readonly GroupRow[] }) {
  const { t } = useTranslation();
  const { change } = useSettings();
  const members = useMembers();
  const write = (next: readonly GroupRow[]) => {
    const texts = groupTexts(next);
    change('GroupRatio', texts.GroupRatio);
    change('UserUsableGroups', texts.UserUsableGroups);
  };
  const patch = (at: number, fields: Partial<GroupRow>) =>
    write(rows.map((row, index) => (index === at ? { ...row, ...fields } : row)));
  return (
    <>
      <div className={classes.groupsBox}>
        <Table
          className={classes.groups}
          verticalSpacing={4}
          aria-label={t('setting.section.groups')}
        >
          <Table.Thead>
            <Table.Tr>
              <Table.Th>{t('common.group')}</Table.Th>
              <Table.Th w={120}>{t('setting.group.ratio')}</Table.Th>
              <Table.Th w={110}>{t('setting.group.selectable')}</Table.Th>
              <Table.Th>{t('setting.group.label')}</Table.Th>
              <Table.Th w={110}>{t('setting.group.members')}</Table.Th>
              <Table.Td w={40} />
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {rows.map((row, at) => (
              <Table.Tr key={row.name}>
                <GroupCells
                  row={row}
                  isNameTaken={(name) => rows.some((other) => other.name === name)}
                  onPatch={(fields) => patch(at, fields)}
                />
                <Table.Td data-label={t('setting.group.members')}>
                  {members.get(row.name) ?? ''}
                </Table.Td>
                <Table.Td>
                  <ToolButton
                    label={t('setting.group.remove', { name: row.name })}
                    disabled={isUsed(members.get(row.name))}
                    onClick={() => write(rows.filter((_, index) => index !== at))}
                    icon={IconTrash}
                  />
                </Table.Td>
              </Table.Tr>
            ))}
          </Table.Tbody>
        </Table>
      </div>
      <div>
        <SideButton
          size="xs"
          icon={IconPlus}
          label={t('setting.group.add')}
          onClick={() => write([...rows, newRow(rows)])}
        />
      </div>
    </>
  );
}

interface CellsProps {
  readonly row: GroupRow;
  readonly isNameTaken: (name: string) => boolean;
  readonly onPatch: (fields: Partial<GroupRow>) => void;
}

function GroupCells({ row, isNameTaken, onPatch }: CellsProps) {
  const { t } = useTranslation();
  const of = (label: string) => t('part.named', { name: label, value: row.name });
  return (
    <>
      <Table.Td data-label={t('common.group')}>
        <TextInput
          aria-label={of(t('common.group'))}
          defaultValue={row.name}
          onBlur={({ currentTarget }) => {
            const name = currentTarget.value.trim();
            if (name === '' || (name !== row.name && isNameTaken(name)))
              currentTarget.value = row.name;
            else if (name !== row.name) onPatch({ name });
          }}
        />
      </Table.Td>
      <Table.Td data-label={t('setting.group.ratio')}>
        <NumberInput
          allowDecimal
          aria-label={of(t('setting.group.ratio'))}
          value={row.ratio}
          clampBehavior="none"
          hideControls
          onChange={(ratio) => onPatch({ ratio })}
        />
      </Table.Td>
      <Table.Td data-label={t('setting.group.selectable')}>
        <Checkbox
          aria-label={of(t('setting.group.selectable'))}
          checked={row.isSelectable}
          onChange={(event) =>
            onPatch({
              isSelectable: event.currentTarget.checked,
              label: row.label === '' ? row.name : row.label,
            })
          }
        />
      </Table.Td>
      <Table.Td data-label={t('setting.group.label')}>
        <TextInput
          aria-label={of(t('setting.group.label'))}
          disabled={!row.isSelectable}
          value={row.label}
          onChange={(event) => onPatch({ label: event.currentTarget.value })}
        />
      </Table.Td>
    </>
  );
}

function newRow(rows: readonly GroupRow[]): GroupRow {
  let number = rows.length + 1;
  while (rows.some(({ name }) => name === `group${number}`)) number += 1;
  return { name: `group${number}`, ratio: 1, isSelectable: false, label: '' };
}

/** The server refuses to remove a group that has users, channels or tokens. */
function isUsed(members: string | undefined): boolean {
  return members !== undefined && members !== '0 / 0';
}

/** "Users / channels" by group; empty until loaded. */
function useMembers(): ReadonlyMap<string, string> {
  const { data } = useQuery({
    queryKey: groupKeys.list('all'),
    queryFn: ({ signal }) => groupsApi.list({ page_size: 100 }, { signal }),
  });
  return new Map((data?.items ?? []).map((one) => [one.name, `${one.users} / ${one.channels}`]));
}
