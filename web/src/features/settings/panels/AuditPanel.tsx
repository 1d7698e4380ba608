import { Stack, Text } from '@mantine/core';
import type { TFunction } from 'i18next';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { Column } from '../../../components/data-table/columns.ts';
import { DataTable } from '../../../components/data-table/DataTable.tsx';
import { Dimmed } from '../../../components/display/Dimmed.tsx';
import { RelativeTime } from '../../../components/display/RelativeTime.tsx';
import { Empty } from '../../../components/layout/list-states.tsx';
import { useInnerList } from '../../../hooks/useList.ts';
import { optionKeys } from '../../../lib/api/query-keys.ts';
import { type OptionChange, options } from '../calls.ts';
import { isFormKey } from '../fields/field-texts.ts';
import { OptionSelect } from '../fields/OptionSelect.tsx';
import type { FormKey } from '../sections/tabs.ts';

/** The change history of options: user, old value and new value. */
export function AuditPanel() {
  const { t } = useTranslation();
  const [key, setKey] = useState<FormKey | null>(null);
  const list = useInnerList(
    (query) => optionKeys.part('audit', query),
    key === null ? {} : { key },
    (query, how) => options.audit(query, how),
  );
  return (
    <Stack gap="sm">
      <OptionSelect
        clearable
        w={{ base: '100%', xs: 320 }}
        label={t('setting.audit.find')}
        value={key}
        onChange={(next) => {
          setKey(next);
          list.setPage(1);
        }}
      />
      <DataTable
        {...list.tableProps}
        id="option-audit"
        label={t('setting.section.audit')}
        rowId={(change) => change.id}
        columns={auditColumns(t)}
        empty={<Empty title={t('setting.audit.none')} />}
      />
    </Stack>
  );
}

/** In a window of 1024 px all of them fit beside the sections. */
function auditColumns(t: TFunction): readonly Column<OptionChange>[] {
  return [
    {
      key: 'created_at',
      title: t('setting.audit.time'),
      width: 96,
      card: 'status',
      render: ({ created_at }) => <RelativeTime at={created_at} />,
    },
    {
      key: 'username',
      title: t('setting.audit.who'),
      width: 92,
      render: ({ user_id, username }) =>
        user_id === 0 ? t('setting.audit.operator') : username || String(user_id),
    },
    {
      key: 'key',
      title: t('setting.audit.key'),
      width: 148,
      isWide: true,
      card: 'title',
      render: ({ key }) => <OptionName option={key} />,
    },
    {
      key: 'old_value',
      title: t('setting.audit.from'),
      width: 96,
      isWide: true,
      render: ({ old_value }) => <Value text={old_value} />,
    },
    {
      key: 'new_value',
      title: t('setting.audit.to'),
      width: 96,
      isWide: true,
      render: ({ new_value }) => <Value text={new_value} />,
    },
  ];
}

/** The translated name, with the key. */
function OptionName({ option }: { readonly option: string }) {
  const { t } = useTranslation();
  return (
    <>
      {isFormKey(option) && <Text>{t(`setting.name.${option}`)}</Text>}
      <Dimmed ff="monospace" style={{ overflowWrap: 'anywhere' }}>
        {option}
      </Dimmed>
    </>
  );
}

function Value({ text }: { readonly text: string }) {
  return (
    <Text size="xs" ff="monospace" lineClamp={2} title={text} style={{ overflowWrap: 'anywhere' }}>
      {text === '' ? '-' : text}
    </Text>
  );
}
