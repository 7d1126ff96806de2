import { useQuery } from '@tanstack/react-query';
import { useId } from 'react';
import { Link } from 'wouter';
import { flightSheetsQuery } from '../../api/queries.ts';
import { Field, SelectField, TextAreaField, TextField } from '../../components/field.tsx';
import { Icon } from '../../components/icon.tsx';
import { sentence } from '../../format/vocabulary.ts';
import type { LaneField } from './lane-fields.ts';
import './lane-field.css';

interface LaneFieldControlProps {
  field: LaneField;
  value: string;
  error: string | undefined;
  onChange: (value: string) => void;
}

/** The control of one member of a lane's inputs. */
export function LaneFieldControl({ field, value, error, onChange }: LaneFieldControlProps) {
  return (
    <div className={field.half ? 'half' : undefined}>
      <Control field={field} value={value} error={error} onChange={onChange} />
    </div>
  );
}

function Control({ field, value, error, onChange }: LaneFieldControlProps) {
  const { kind, label, hint, options = [] } = field;
  const optional = field.optional === true;
  const words = { label, optional, ...(hint === undefined ? {} : { hint }), ...(error === undefined ? {} : { error }) };
  const required = !optional;
  const change = (event: { target: { value: string } }) => onChange(event.target.value);
  switch (kind) {
    case 'flight_sheet':
      return <FlightSheetControl words={words} value={value} onChange={onChange} />;
    case 'choice':
      return (
        <SelectField {...words} value={value} onChange={change}>
          <option value="">Not said</option>
          {options.map((option) => (
            <option key={option} value={option}>
              {sentence(option)}
            </option>
          ))}
        </SelectField>
      );
    case 'text':
    case 'lines':
    case 'json':
      return <TextAreaField {...words} mono={kind === 'json'} required={required} value={value} onChange={change} />;
    case 'number':
      return <TextField {...words} inputMode="decimal" required={required} value={value} onChange={change} />;
    case 'line':
      return <Line words={words} field={field} value={value} onChange={onChange} />;
  }
}

type Words = Omit<Parameters<typeof TextField>[0], 'value' | 'onChange'>;

/** One line, with words others use as suggestions. */
function Line({
  words,
  field,
  value,
  onChange,
}: {
  words: Words;
  field: LaneField;
  value: string;
  onChange: (value: string) => void;
}) {
  const list = useId();
  const { options = [], mono = false, optional } = field;
  return (
    <>
      <TextField
        {...words}
        mono={mono}
        required={!optional}
        value={value}
        list={options.length > 0 ? list : undefined}
        onChange={(event) => onChange(event.target.value)}
      />
      {options.length > 0 && (
        <datalist id={list}>
          {options.map((option) => (
            <option key={option} value={option} />
          ))}
        </datalist>
      )}
    </>
  );
}

function FlightSheetControl({
  words,
  value,
  onChange,
}: {
  words: Words;
  value: string;
  onChange: (value: string) => void;
}) {
  const { data, isPending } = useQuery(flightSheetsQuery);
  const sheets = data ?? [];
  const none = !isPending && sheets.length === 0;
  return (
    <Field
      {...words}
      hint={
        none ? (
          <>
            There is none yet. <Link href="/settings/flight-sheets">Publish one first</Link>.
          </>
        ) : undefined
      }
    >
      {(wired) => (
        <span className="select">
          <select
            {...wired}
            required
            className="input"
            value={value}
            onChange={(event) => onChange(event.target.value)}
          >
            <option value="">{isPending ? 'Loading …' : 'Choose one'}</option>
            {sheets.map(({ name, version, title }) => (
              <option key={`${name} ${version}`} value={`${name}\n${version}`}>
                {name} v{version} · {title}
              </option>
            ))}
          </select>
          <Icon name="down" />
        </span>
      )}
    </Field>
  );
}
