export default function Home() {
  return (
    <main>
      <h1>my-api</h1>
      <a href="/api/docs/">The API</a>
    </main>
  )
}
