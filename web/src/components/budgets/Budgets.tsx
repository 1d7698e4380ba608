import { Group, Stack, Text } from '@mantine/core';
import { IconPlus } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { BudgetSubject } from '../../../../src/domain/budgets/budget.ts';
import { budgetKeys } from '../../lib/api/query-keys.ts';
import { zoneName } from '../../lib/text/dates.ts';
import { Dimmed } from '../display/Dimmed.tsx';
import { SideButton } from '../display/SideButton.tsx';
import { Loaded, Loading } from '../layout/list-states.tsx';
import { BudgetEditor } from './BudgetEditor.tsx';
import { BudgetItem } from './BudgetItem.tsx';
import { blankBudget } from './budget-form.ts';
import { budgets } from './calls.ts';

interface BudgetsProps {
  readonly subject: BudgetSubject;
  /** Undefined for the budgets of all subjects of the kind. */
  readonly subjectId?: string;
  /** False below a heading of the page. */
  readonly hasTitle?: boolean;
}

const LINE_PX = 18;

/** The budgets of a subject with their current windows; each is changed at its place. */
export function Budgets({ subject, subjectId, hasTitle = true }: BudgetsProps) {
  const { t } = useTranslation();
  const [isAdding, setAdding] = useState(false);
  const filter = { subject, subject_id: subjectId, page_size: 100 };
  const query = useQuery({
    queryKey: budgetKeys.list(filter),
    queryFn: ({ signal }) => budgets.list(filter, { signal }),
  });
  return (
    <Stack
      gap="sm"
      {...(hasTitle && { component: 'section', 'aria-label': t('part.budget.list') })}
    >
      <Group justify="space-between">
        <Text fw={600}>{hasTitle && t('part.budget.list')}</Text>
        {!isAdding && (
          <SideButton
            size="xs"
            icon={IconPlus}
            label={t('part.budget.add')}
            onClick={() => setAdding(true)}
          />
        )}
      </Group>
      {isAdding && (
        <BudgetEditor
          budget={undefined}
          initial={blankBudget(subject, subjectId ?? '', zoneName())}
          {...(subjectId === undefined && { choices: [subject] })}
          onClose={() => setAdding(false)}
        />
      )}
      {/* As high as the line of an empty list, so that what is below stays where it is. */}
      <Stack gap="sm" mih={LINE_PX}>
        <Loaded query={query} loading={<Loading lines={1} height={LINE_PX} />}>
          {({ items }) => (
            <>
              {items.length === 0 && !isAdding && (
                <Dimmed lh={`${LINE_PX}px`}>{t('part.budget.none')}</Dimmed>
              )}
              {items.map((budget) => (
                <BudgetItem key={budget.id} budget={budget} isNamed={subjectId === undefined} />
              ))}
            </>
          )}
        </Loaded>
      </Stack>
    </Stack>
  );
}
