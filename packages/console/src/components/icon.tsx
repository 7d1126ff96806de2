/** Line icons on a grid of 16 units, drawn in the text's colour. Beside words they say nothing of their own. */
const PATHS = {
  home: 'M2.5 7.2L8 2.5l5.5 4.7M4 6v7.5h8V6M6.6 13.5v-4h2.8v4',
  runs: 'M2.5 4h1M2.5 8h1M2.5 12h1M6 4h7.5M6 8h7.5M6 12h7.5',
  receipt: 'M3.5 1.8h9v12.4l-1.5-1-1.5 1-1.5-1-1.5 1-1.5-1-1.5 1zM6 5.5h4M6 8.5h4',
  chain:
    'M6.7 9.3a2.6 2.6 0 0 0 3.7 0l2.3-2.3A2.6 2.6 0 0 0 9 3.3l-.8.8M9.3 6.7a2.6 2.6 0 0 0-3.7 0L3.3 9A2.6 2.6 0 0 0 7 12.7l.8-.8',
  compute: 'M4 4h8v8H4zM6.5 6.5h3v3h-3zM6 1.8V4M10 1.8V4M6 12v2.2M10 12v2.2M1.8 6H4M1.8 10H4M12 6h2.2M12 10h2.2',
  settings: 'M2.5 4.5h6M11.5 4.5h2M2.5 11.5h2M7.5 11.5h6M10 3v3M6 10v3',
  search: 'M7 11.5a4.5 4.5 0 1 0 0-9 4.5 4.5 0 0 0 0 9zM10.3 10.3l3.2 3.2',
  plus: 'M8 3v10M3 8h10',
  minus: 'M3 8h10',
  check: 'M3 8.5l3.2 3.2L13 4.8',
  close: 'M3.8 3.8l8.4 8.4M12.2 3.8l-8.4 8.4',
  copy: 'M5.5 5.5v-3h8v8h-3M2.5 5.5h8v8h-8z',
  external: 'M9 2.5h4.5V7M13.2 2.8L7.5 8.5M6.5 3.5h-4v10h10v-4',
  down: 'M4 6.2l4 4 4-4',
  up: 'M4 9.8l4-4 4 4',
  right: 'M6.2 4l4 4-4 4',
  left: 'M9.8 4l-4 4 4 4',
  upDown: 'M5 6l3-3 3 3M5 10l3 3 3-3',
  more: 'M3.1 8a.4.4 0 1 0 .8 0 .4.4 0 1 0-.8 0M7.6 8a.4.4 0 1 0 .8 0 .4.4 0 1 0-.8 0M12.1 8a.4.4 0 1 0 .8 0 .4.4 0 1 0-.8 0',
  upload: 'M8 10.5v-8M4.8 5.4L8 2.3l3.2 3.1M2.5 10v3.5h11V10',
  download: 'M8 2.5v8M4.8 7.6L8 10.7l3.2-3.1M2.5 10v3.5h11V10',
  refresh: 'M13.3 8a5.3 5.3 0 1 1-1.5-3.7L13.3 6M13.3 2.5V6H9.8',
  menu: 'M2.5 4h11M2.5 8h11M2.5 12h11',
  out: 'M9.5 2.5h-6v11h6M6.8 8h6.7M10.8 5.2L13.6 8l-2.8 2.8',
  person: 'M8 8a2.8 2.8 0 1 0 0-5.5A2.8 2.8 0 0 0 8 8zM2.8 13.7a5.3 5.3 0 0 1 10.4 0',
  people:
    'M6 7.8a2.5 2.5 0 1 0 0-5 2.5 2.5 0 0 0 0 5zM1.5 13.2a4.6 4.6 0 0 1 9 0M10.4 3a2.4 2.4 0 0 1 0 4.6M12.2 9.4a4.6 4.6 0 0 1 2.4 3.8',
  key: 'M5.5 13.2a2.8 2.8 0 1 0 0-5.5 2.8 2.8 0 0 0 0 5.5zM7.6 8.4l5.7-5.7M10.6 5.4l2 2M12 4l1.6 1.6',
  file: 'M3.5 1.8h5.7l3.3 3.3v9.1h-9zM9 1.8v3.5h3.5',
  link: 'M6.7 9.3a2.6 2.6 0 0 0 3.7 0l2.3-2.3A2.6 2.6 0 0 0 9 3.3l-.8.8M9.3 6.7a2.6 2.6 0 0 0-3.7 0L3.3 9A2.6 2.6 0 0 0 7 12.7l.8-.8',
  note: 'M2.5 2.5h11v7.7l-3.3 3.3H2.5zM13.3 10.3h-3v3M5 6h6M5 9h3',
  clock: 'M8 14a6 6 0 1 0 0-12 6 6 0 0 0 0 12zM8 4.8V8l2.2 1.6',
  shield: 'M8 1.8l5 1.8v4.2c0 3-2 5.3-5 6.4-3-1.1-5-3.4-5-6.4V3.6zM5.7 8l1.7 1.7 3-3.2',
  sliders: 'M3 4h10M3 8h10M3 12h10M6 2.8v2.4M10.5 6.8v2.4M5 10.8v2.4',
  pen: 'M10.8 2.8l2.4 2.4-7.6 7.6-3 .6.6-3z',
  trash: 'M2.8 4.2h10.4M6 4V2.3h4V4M4 4.2l.6 9.5h6.8l.6-9.5M6.6 7v4M9.4 7v4',
  mail: 'M2 3.5h12v9H2zM2.3 4l5.7 4.6L13.7 4',
} as const;
export type IconName = keyof typeof PATHS;

export function Icon({ name }: { name: IconName }) {
  return (
    <svg className="icon" viewBox="0 0 16 16" aria-hidden="true">
      <path d={PATHS[name]} />
    </svg>
  );
}
