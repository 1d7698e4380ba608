import { Group, NumberInput, Select } from '@mantine/core';
import { IconChevronLeft, IconChevronRight } from '@tabler/icons-react';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { numberText } from '../../../../src/domain/text/number-text.ts';
import { PAGE_SIZES } from '../../lib/browser/stored.ts';
import { Dimmed } from '../display/Dimmed.tsx';
import { ToolButton } from '../display/ToolButton.tsx';
import type { PageState } from './columns.ts';

/** The shown range, the page size and links to the other pages. */
export function Pager({ page, pageSize, total, onPage, onPageSize }: PageState) {
  const { t } = useTranslation();
  const pages = Math.max(1, Math.ceil(total / pageSize));
  const first = total === 0 ? 0 : (page - 1) * pageSize + 1;
  const last = Math.min(total, page * pageSize);
  return (
    <Group justify="space-between" px="sm" py={8} wrap="wrap">
      <Dimmed aria-live="polite">{t('part.pager.range', { first, last, total })}</Dimmed>
      <Group gap={6}>
        <Select
          size="xs"
          w={104}
          aria-label={t('part.pager.size')}
          data={PAGE_SIZES.map((size) => ({
            value: String(size),
            label: t('part.pager.perPage', { size }),
          }))}
          value={String(pageSize)}
          onChange={(size) => onPageSize(Number(size))}
          comboboxProps={{ withinPortal: true }}
        />
        <ToolButton
          size={30}
          variant="default"
          label={t('part.pager.previous')}
          disabled={page <= 1}
          onClick={() => onPage(page - 1)}
          icon={IconChevronLeft}
        />
        <Jump key={page} page={page} pages={pages} onPage={onPage} />
        <Dimmed>/ {numberText(pages)}</Dimmed>
        <ToolButton
          size={30}
          variant="default"
          label={t('part.pager.next')}
          disabled={page >= pages}
          onClick={() => onPage(page + 1)}
          icon={IconChevronRight}
        />
      </Group>
    </Group>
  );
}

interface JumpProps {
  readonly page: number;
  readonly pages: number;
  readonly onPage: (page: number) => void;
}

function Jump({ page, pages, onPage }: JumpProps) {
  const { t } = useTranslation();
  const [typed, setTyped] = useState<string | number>(page);
  const go = () => {
    const wanted = Math.min(pages, Math.max(1, Number(typed) || page));
    if (wanted === page) setTyped(page);
    else onPage(wanted);
  };
  return (
    <NumberInput
      allowDecimal
      size="xs"
      w={52}
      hideControls
      aria-label={t('part.pager.jump')}
      value={typed}
      onChange={setTyped}
      onBlur={go}
      onKeyDown={(event) => {
        if (event.key !== 'Enter') return;
        // A list may be inside a form, which this must not submit.
        event.preventDefault();
        go();
      }}
      styles={{ input: { textAlign: 'center', paddingInline: 4 } }}
    />
  );
}
